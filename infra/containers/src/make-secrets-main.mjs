// Writes the secrets that docker-compose.yml requires, as lines of an .env file, to standard output. It imports no
// package, so it runs before anything is installed.
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'

const bytes = 32
const compose = await readFile(new URL('../../../docker-compose.yml', import.meta.url), 'utf8')
const names = new Set([...compose.matchAll(/\$\{(\w+):\?\}/g)].map(([, name]) => name))
for (const name of names) process.stdout.write(`${name}=${randomBytes(bytes).toString('hex')}\n`)
