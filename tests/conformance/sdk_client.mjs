// The official TypeScript client with a provider that keeps all in memory. It tells one JSON object a line on its
// output, and takes the address that the person's browser was sent back to from its input.
//
//   node sdk_client.mjs FOLDER_OF_THE_SDK SERVER_URL CLIENT_NAME

import { createInterface } from "node:readline";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [sdk, address, name] = process.argv.slice(2);
const part = (path) => import(pathToFileURL(join(sdk, "dist/esm/client", path)));
const { Client } = await part("index.js");
const { StreamableHTTPClientTransport } = await part("streamableHttp.js");
const { UnauthorizedError } = await part("auth.js");

const tell = (told) => console.log(JSON.stringify(told));
const input = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

class Provider {
  redirectUrl = "http://localhost:4/callback";
  clientMetadata = {
    client_name: name,
    redirect_uris: [this.redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  saved = [];
  state = () => "state-of-" + name.replaceAll(" ", "-");
  clientInformation = () => this.client;
  saveClientInformation = (client) => void (this.client = client);
  tokens = () => this.saved.at(-1);
  saveTokens = (tokens) => void this.saved.push(tokens);
  codeVerifier = () => this.verifier;
  saveCodeVerifier = (verifier) => void (this.verifier = verifier);
  redirectToAuthorization = (url) => tell({ authorize: String(url) });
}

const seen = [];
const watched = async (url, options) => {
  const answer = await fetch(url, options);
  seen.push(`${options?.method ?? "GET"} ${new URL(url).pathname} ${answer.status}`);
  return answer;
};
const provider = new Provider();
const transport = () =>
  new StreamableHTTPClientTransport(new URL(address), { authProvider: provider, fetch: watched });
const client = () => new Client({ name, version: "1" });

const refused = transport();
try {
  await client().connect(refused);
  throw new Error("connected without signing in");
} catch (error) {
  if (!(error instanceof UnauthorizedError)) throw error;
}
const back = new URL((await input.next()).value).searchParams;
await refused.finishAuth(back.get("code"));

const connected = client();
await connected.connect(transport());
const { tools } = await connected.listTools();
tell({ tools: tools.map((tool) => tool.name) });
tell({ first: await connected.callTool({ name: "identity", arguments: { action: "self" } }) });
// As after an hour: the server refuses the access token, and the client must come by another.
provider.saved.push({ ...provider.tokens(), access_token: "spoiled-" + provider.tokens().access_token });
tell({ second: await connected.callTool({ name: "identity", arguments: { action: "self" } }) });
tell({ tokens: provider.saved, seen, client: provider.client });
await connected.close();
process.exit(0);
