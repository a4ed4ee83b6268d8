// Baton for opencode: context before each prompt, a turn kept where a person has switched that on. It runs the one
// handler that the other hosts run, so that deadlines, policies, credentials and the spool are the same.
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const HANDLER = join(dirname(fileURLToPath(import.meta.url)), "baton", "baton_hook.py")
const PYTHON = process.platform === "win32" ? "python" : "python3"
// Longer than the handler's own deadline: opencode has none.
const LIMIT_MS = 18_000

function run(event, given) {
  return new Promise((resolve) => {
    const child = spawn(PYTHON, ["-I", "-S", HANDLER, "hook", "opencode", event], { windowsHide: true })
    let out = ""
    let said = ""
    const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS)
    const done = (code) => {
      clearTimeout(timer)
      resolve({ code, out, said })
    }
    child.on("error", (error) => done(error.code === "ENOENT" ? "no Python" : String(error)))
    child.on("close", (code) => done(code))
    child.stdout.on("data", (piece) => (out += piece))
    child.stderr.on("data", (piece) => (said += piece))
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(given))
  })
}

function injected(answer) {
  try {
    return answer.out ? JSON.parse(answer.out) : {}
  } catch {
    return {}
  }
}

// Where the handler cannot run, the project's file is all that tells whether a prompt may go on.
function required(directory) {
  for (let place = resolve(directory), above = ""; place !== above; above = place, place = dirname(place)) {
    try {
      return readFileSync(join(place, ".baton.json"), "utf8").includes('"required"')
    } catch (error) {
      if (error.code !== "ENOENT" && error.code !== "ENOTDIR") return true
    }
  }
  return false
}

export const Baton = async ({ client, directory }) => {
  const last = new Map()
  const oriented = new Set()
  const ending = new Set()
  const show = (message) => {
    client?.tui?.showToast?.({ body: { message, variant: "warning" } })?.catch?.(() => {})
    // Without a screen nobody sees that, and of an error opencode keeps the reason to its logs.
    if (!process.stderr.isTTY) process.stderr.write(message + "\n")
  }
  const ended = async (session) => {
    const said = last.get(session)
    const given = { session_id: session, cwd: directory }
    if (said) await run("stop", { ...given, turn_id: said.turn, last_assistant_message: said.text })
    await run("end", given)
  }
  return {
    "chat.message": async (input, output) => {
      const text = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      const first = output.parts[0]
      if (!first) return
      const session = input.sessionID
      const turn = String(input.messageID ?? first.messageID ?? "")
      const given = { session_id: session, turn_id: turn, cwd: directory }
      const texts = []
      if (!oriented.has(session)) {
        oriented.add(session)
        texts.push(injected(await run("start", given)).text)
      }
      const answer = await run("prompt", { ...given, prompt: text.map((part) => part.text).join("\n") })
      // A throw is what stops a prompt here.
      if (answer.code === 2) {
        const reason = answer.said.trim() || "Baton stopped the prompt."
        show(reason)
        throw new Error(reason)
      }
      const told = injected(answer)
      if (answer.code !== 0) {
        told.text = told.visible = `Baton: memory was unavailable (unavailable): ${answer.code}.`
        if (required(directory)) {
          const reason = `${told.text} This project requires it (policy in .baton.json), so the prompt was stopped.`
          show(reason)
          throw new Error(reason)
        }
      }
      texts.push(told.text)
      if (told.visible) show(told.visible)
      texts.filter(Boolean).forEach((text, at) => {
        output.parts.push({ ...first, id: `${first.id}baton${at}`, type: "text", text, synthetic: true })
      })
    },
    event: async ({ event }) => {
      if (event.type === "message.part.updated" && event.properties.part?.type === "text") {
        const part = event.properties.part
        if (!part.synthetic) last.set(part.sessionID, { turn: part.messageID, text: part.text })
      }
      // What was said at the start is no longer in the model's context.
      if (event.type === "session.compacted") oriented.delete(event.properties.sessionID)
      if (event.type === "session.idle") {
        const turn = ended(event.properties.sessionID).catch(() => {})
        ending.add(turn)
        await turn
        ending.delete(turn)
      }
    },
    // opencode waits for this one alone before it goes: at the end of `run` it is idle and gone in one moment.
    dispose: async () => {
      await Promise.all(ending)
    },
  }
}
