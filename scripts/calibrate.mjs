// Measures this machine by a fixed piece of work like that of the tests: JavaScript, JSON, hashes, compression, requests
// and answers over a socket, and the start of processes, on all processors at once. Prints a factor of processor time: 2
// means that everything takes twice as long as on the machine for which the limits of `npm test` are given. `npm test`
// needs at most 700 s of user and system time × factor.
import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { deflateSync, inflateSync } from 'node:zlib'

/** Milliseconds of processor time that the work takes on a machine of factor 1, with all its processors busy. */
const referenceMs = 700
const rounds = 7

if (process.argv[2] === 'one') console.log(JSON.stringify(await measureRounds()))
else await measureMachine()

/** Processors may share a core, and a machine may be quick only while it has little to do: so all of them are busy. */
async function measureMachine() {
  const run = promisify(execFile)
  const measured = await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      const { stdout } = await run(process.execPath, [fileURLToPath(import.meta.url), 'one'])
      return JSON.parse(stdout)
    }),
  )
  const sorted = measured.flat().sort((one, other) => one - other)
  const median = sorted[Math.floor(sorted.length / 2)]
  console.log(`factor ${(median / referenceMs).toFixed(2)}`)
  console.log(
    `The work takes ${Math.round(median)} ms of processor time (${sorted.map(Math.round).join(', ')}).`,
  )
}

async function measureRounds() {
  const measured = []
  for (let round = 0; round < rounds; round += 1) measured.push(await measure())
  return measured
}

/** Returns the milliseconds of processor time, user and system, of this process and of those that it starts. */
async function measure() {
  const begun = process.cpuUsage()
  compute()
  await exchange()
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / 1_000 + startProcesses()
}

function compute() {
  const letters = Array.from({ length: 2_000 }, (_, number) => ({
    id: `letter-${number}`,
    lines: Array.from({ length: 20 }, (_, line) => `line ${line} of letter ${number}`),
  }))
  for (let round = 0; round < 8; round += 1) {
    const text = JSON.stringify(letters)
    const copy = JSON.parse(text)
    copy.sort((one, other) => (one.lines[round] < other.lines[round] ? 1 : -1))
    const bytes = Buffer.from(text)
    createHash('sha256')
      .update(inflateSync(deflateSync(bytes)))
      .digest('hex')
    const words = new Map()
    for (const word of text.split(/\W+/)) words.set(word, (words.get(word) ?? 0) + 1)
  }
}

async function exchange() {
  const server = createServer((message, reply) => message.pipe(reply)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const agent = new Agent({ keepAlive: true })
  const body = Buffer.alloc(2_000, 'a letter ')
  for (let sent = 0; sent < 1_000; sent += 1) {
    const options = { ...server.address(), host: '127.0.0.1', method: 'POST', agent }
    const [answer] = await once(request(options).end(body), 'response')
    await answer.toArray()
  }
  agent.destroy()
  server.close()
}

function startProcesses() {
  const count = 'const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)'
  const times = Array.from({ length: 3 }, () => {
    const { stdout } = spawnSync(process.execPath, ['-e', count], { encoding: 'utf8' })
    return Number(stdout)
  })
  return times.reduce((sum, ms) => sum + ms, 0)
}
