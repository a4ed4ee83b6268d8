// The reference of the REST interface: Swagger UI upon this instance's own description of it.
"use strict";

const calls = document.getElementById("calls");
const dark = matchMedia("(prefers-color-scheme: dark)");
const root = document.documentElement;

// Swagger UI has a dark scheme of its own, behind a class.
function followScheme() {
  root.classList.toggle("dark-mode", root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
}
followScheme();
dark.addEventListener("change", followScheme);

SwaggerUIBundle({
  url: calls.dataset.api,
  domNode: calls,
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  // Its default is a validator on somebody else's host, which would be sent the address of this one.
  validatorUrl: null,
  requestInterceptor: (request) => {
    if (calls.dataset.csrf && !["GET", "HEAD"].includes(request.method || "GET")) {
      request.headers["X-CSRFToken"] = calls.dataset.csrf;
    }
    return request;
  },
});
