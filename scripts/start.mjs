// Starts a service of the tree: `node scripts/start.mjs print-request`. It imports no TypeScript before it knows that
// this Node runs it: an older one would report a syntax error.
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const nodeMajorMin = 24
const [name = ''] = process.argv.slice(2)
const main = new URL(`../services/${name}/src/main.ts`, import.meta.url)

if (Number.parseInt(process.versions.node, 10) < nodeMajorMin) {
  fail(
    `Despatch requires Node.js ${nodeMajorMin} or later for its services, and this is ${process.versions.node}: install one from https://nodejs.org`,
  )
} else if (!existsSync(main)) {
  fail('Name one service of the folder services: node scripts/start.mjs print-request')
} else {
  // Compiling its modules is half the time of a start. Without write access nothing is kept.
  module.enableCompileCache(
    fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)),
  )
  void import(main.href)
}

function fail(message) {
  console.error(message)
  process.exitCode = 1
}
