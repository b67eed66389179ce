// Written by `rawko setup opencode`; `rawko setup opencode --remove` takes it back.
// Gives opencode's model what rawko remembers. Whatever goes wrong here, opencode goes on.
import { spawn } from "node:child_process"

const program = "rawko" /* program */

// What rawko says to an event; "" where it says nothing, is missing or takes too long.
const ask = (event, input) =>
  new Promise((done) => {
    try {
      const child = spawn(program, ["hook", "opencode", event], { stdio: ["pipe", "pipe", "ignore"], timeout: 2000 })
      let out = ""
      child.on("error", () => done(""))
      child.stdin.on("error", () => {})
      child.stdout.on("data", (data) => (out += data))
      child.on("close", () => {
        try {
          done(out ? (JSON.parse(out).text ?? "") : "")
        } catch {
          done("")
        }
      })
      child.stdin.end(JSON.stringify(input))
    } catch {
      done("")
    }
  })

// Both ends of a long text; what a cut leaves of a letter is taken out.
const short = (text) => {
  if (text.length <= 20000) return text
  const cut = text.slice(0, 10000) + "\n…\n" + text.slice(-10000)
  return cut.toWellFormed ? cut.toWellFormed() : cut
}

// What happened in a session: the newest messages, as many as rawko reads at once. Nothing of one that an agent opened:
// nobody's words in it are a person's.
const happened = async (client, sessionID, templates) => {
  try {
    const { data: session } = await client.session.get({ path: { id: sessionID } })
    if (!session || session.parentID) return undefined
    const { data } = await client.session.messages({ path: { id: sessionID } })
    const messages = []
    let room = 1000000
    for (const { info, parts } of (data ?? []).slice().reverse()) {
      const told = (types) => {
        const kept = parts
          .filter((part) => types.includes(part.type))
          .map((part) => (templates.has(part.text) ? { ...part, synthetic: true } : part))
        const message = { info: { role: info.role, sessionID, path: info.path }, parts: kept }
        return JSON.stringify(message, (_, value) => (typeof value === "string" ? short(value) : value))
      }
      let text = told(["text", "tool"])
      if (Buffer.byteLength(text) > room) text = told(["text"])
      room -= Buffer.byteLength(text)
      if (room < 0) break
      messages.unshift(JSON.parse(text))
    }
    const last = messages.filter((message) => message.info.role === "assistant").pop()
    const said = (last?.parts ?? []).filter((part) => part.type === "text" && !part.synthetic)
    return { messages, last_assistant_message: said.map((part) => part.text).join("\n") }
  } catch {
    return undefined
  }
}

export const Rawko = async ({ client, directory }) => {
  const known = new Set()
  const uses = new Map()
  // What slash commands say: somebody wrote it down once, and what their scripts print may be anybody's.
  const templates = new Set()
  const about = (sessionID, more) => ({ sessionID, directory, ...more })
  return {
    "chat.message": async (input, output) => {
      const first = output.parts.find((part) => part.type === "text")
      if (!first) return
      const said = output.parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text)
      const texts = []
      if (!known.has(input.sessionID)) {
        known.add(input.sessionID)
        texts.push(await ask("session.created", about(input.sessionID)))
      }
      texts.push(await ask("chat.message", about(input.sessionID, { prompt: said.join("\n") })))
      const text = texts.filter(Boolean).join("\n")
      if (text) output.parts.push({ ...first, id: first.id + "z", text, synthetic: true })
    },
    "command.execute.before": async (_, output) => {
      if (templates.size > 1000) templates.clear()
      for (const part of output?.parts ?? []) if (part.type === "text") templates.add(part.text)
    },
    "tool.execute.before": async (input, output) => {
      if (uses.size > 1000) uses.clear()
      uses.set(input.callID, output.args)
    },
    "tool.execute.after": async (input, output) => {
      const args = input.args ?? uses.get(input.callID)
      uses.delete(input.callID)
      const { output: text, metadata } = output
      const event = about(input.sessionID, { callID: input.callID, tool: input.tool, args, output: { output: text, metadata } })
      const said = await ask("tool.execute.after", event)
      if (said && typeof output.output === "string") output.output += "\n\n" + said
    },
    "experimental.session.compacting": async (input) => {
      await ask("session.compacting", about(input.sessionID))
    },
    event: async ({ event }) => {
      if (event.type !== "session.idle") return
      const sessionID = event.properties?.sessionID
      const run = await happened(client, sessionID, templates)
      if (run) await ask("session.idle", about(sessionID, { at: Date.now(), ...run }))
    },
  }
}
