import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { isFromDespatch } from './verify-callback.mjs'

const [secretsFile] = process.argv.slice(2)

// In production, keep these in a database that all your processes share and that outlives them.
const taken = new Set()
const newestOf = new Map()

const server = createServer(async (request, response) => {
  const body = await buffer(request)
  const secrets = readFileSync(secretsFile, 'utf8').split(/\s+/).filter(Boolean)
  if (!isFromDespatch(request.headers, body, secrets)) {
    response.writeHead(401).end()
    return
  }
  const id = request.headers['webhook-id']
  if (!taken.has(id)) {
    take(JSON.parse(body))
    taken.add(id)
  }
  response.writeHead(204).end()
})

function take(message) {
  const { jobId, sequence, jobStatus } = message.data
  const isNewest = sequence > (newestOf.get(jobId)?.sequence ?? 0)
  if (jobStatus && isNewest) newestOf.set(jobId, { sequence, jobStatus })
  console.log(JSON.stringify(message))
}

server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/callbacks`)
})
