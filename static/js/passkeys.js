/* Says in the page why a passkey was not made or taken; the library's script tells only the console. */
const WORDS = {
  NotAllowedError: "No passkey was given. Try again, or enter another way.",
  InvalidStateError: "This device holds a passkey for you already.",
  SecurityError: "Browsers keep no passkey for this address.",
  NotSupportedError: "This browser or device cannot hold a passkey.",
};
document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  const place = document.querySelector("[data-passkey-failed]");
  if (!place) return;
  place.textContent = WORDS[event.detail?.exception?.name] ?? "That did not work. Try again, or enter another way.";
  place.hidden = false;
});
