import { readFileSync } from 'node:fs'
import { markdownList, wrap } from '@despatch/cli/markdown'
import { standaloneConfig } from '@despatch/standalone/settings'
import { standaloneDefaults } from '@despatch/standalone/stack'
import { listFiles } from '../list-files.ts'

type Setting = {
  description?: string | undefined
  safeParse(value: unknown): { success: boolean; data?: unknown; error?: Refusal | undefined }
}
type Refusal = { issues: readonly { message: string }[] }

/** Schemas of settings, by the process that reads them. */
type Readers = Readonly<Record<string, Schema>>
type Schema = { shape: Readonly<Record<string, Setting>> }

const root = new URL('../../', import.meta.url)
const schemaImport = /^import \{ ((?!readConfig)\w+Config) \} from '(.+)'$/m

/** Returns docs/configuration.md: every setting of every process, from the schemas that read them. */
export async function describeConfiguration(): Promise<string> {
  const readers = { 'npm start': standaloneConfig, ...(await importServiceConfigs()) }
  return `# Configuration

<!-- Written by \`npm run docs\`. Change the schemas that the services' src/main.ts and infra/standalone name. -->

Settings are environment variables. Each process reads its settings once, at its start. If a setting is missing or not
valid, the process does not start and prints a line with the name of the setting, never its value. An empty variable
counts as absent. A secret may be in a file instead, which the variable with the suffix \`_FILE\` names
([secrets](secrets.md#files-with-secrets)).

${wrap(`\`npm start\` runs all services in one process. It sets the address of the database and of the object store, and
the keys that it derives from the secret key, and passes on all other variables unchanged, so all settings of the services can be set there. It changes
these defaults: ${listStandaloneDefaults()}.`)}

${markdownList(listSettings(readers))}
`
}

/** Returns the schema of the settings of each service. */
export async function importServiceConfigs(): Promise<Readers> {
  const configs: Record<string, Schema> = {}
  for (const path of listFiles()) {
    const [, service] = /^services\/([^/]+)\/src\/main\.ts$/.exec(path) ?? []
    if (!service) continue
    const main = new URL(path, root)
    const [, name, module] = schemaImport.exec(readFileSync(main, 'utf8')) ?? []
    if (!name || !module) throw new Error(`${path} must import its schema by name`)
    const exported = await import(module.startsWith('.') ? new URL(module, main).href : module)
    configs[service] = exported[name]
  }
  return configs
}

function listStandaloneDefaults(): string {
  return Object.entries(standaloneDefaults)
    .map(([name, value]) => `\`${name}=${value}\``)
    .join(', ')
}

/** Returns one item for each name and meaning. A setting that several processes read in the same way is listed once. */
function listSettings(readers: Readers): string[] {
  const items = new Map<string, string[]>()
  for (const [reader, { shape }] of Object.entries(readers)) {
    for (const [name, setting] of Object.entries(shape)) {
      const { description = '' } = setting
      const rule = ruleOf(setting)
      const item = `\`${name}\` (${defaultOf(setting)}): ${description}.${rule && ` ${capitalise(rule)}.`}`
      items.set(item, [...(items.get(item) ?? []), reader])
    }
  }
  return [...items.entries()]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([item, readBy]) => `${item} Read by ${readBy.join(', ')}.`)
}

function defaultOf(setting: Setting): string {
  const absent = setting.safeParse(undefined)
  if (!absent.success) return 'required'
  const { data } = absent
  const isNothing = data === undefined || (Array.isArray(data) && data.length === 0)
  return isNothing ? 'no default' : `default \`${String(data)}\``
}

/** Returns the setting's message for a value that no rule allows, or nothing if the setting accepts any text. */
function ruleOf(setting: Setting): string {
  const [issue] = setting.safeParse('\0').error?.issues ?? []
  return issue?.message ?? ''
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
