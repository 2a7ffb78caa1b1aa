#!/usr/bin/env node
// Any Node from 18 runs this file. The command itself is TypeScript, which runs on the Node 24 in node_modules.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const nodeMajor = 24
const main = new URL('../src/main.ts', import.meta.url)
const [major = 0] = process.versions.node.split('.').map(Number)

// Compiling its modules is half the time of a short command. Without write access nothing is kept.
const compiled = fileURLToPath(new URL('../../../node_modules/.cache/compiled', import.meta.url))

if (major >= nodeMajor) {
  module.enableCompileCache(compiled)
  await import(main.href)
} else {
  const node = findNode()
  if (node) runWith(node)
  else {
    console.error(`This requires Node.js ${nodeMajor}, which is not installed. Run "npm ci" first`)
    process.exitCode = 1
  }
}

/** Returns the Node from the lockfile, wherever the installation put it. */
function findNode() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  return ['../../../node_modules/node/bin', '../node_modules/node/bin']
    .map((directory) => fileURLToPath(new URL(`${directory}/${name}`, import.meta.url)))
    .find((path) => existsSync(path))
}

function runWith(node) {
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' })
  // The terminal sends Ctrl-C to both processes. The child decides how to react, and this process ends with it.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  child.once('error', (error) => {
    console.error(`${node} cannot be run: ${error.message}`)
    process.exitCode = 1
  })
  child.once('close', (code, signal) => {
    if (signal) {
      process.removeAllListeners(signal)
      process.kill(process.pid, signal)
    } else {
      process.exitCode = code ?? 1
    }
  })
}
