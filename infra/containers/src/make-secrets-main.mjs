// Writes the secrets that docker-compose.yml requires, as lines of an .env file, to standard output, and the root of the
// keys among them. It imports no package, so it runs before anything is installed.
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'

const tree = new URL('../../../', import.meta.url)
const { deriveKeys } = await import(new URL('packages/config/src/service-keys.mjs', tree).href)
const compose = await readFile(new URL('docker-compose.yml', tree), 'utf8')

const random = () => randomBytes(32).toString('hex')
const root = random()
const keys = deriveKeys(root)
const names = new Set([...compose.matchAll(/\$\{(\w+):\?\}/g)].map(([, name]) => name))
const secrets = [...names].map((name) => [name, keys[name] ?? random()])
for (const [name, value] of [['DESPATCH_SECRET_KEY', root], ...secrets]) {
  process.stdout.write(`${name}=${value}\n`)
}
