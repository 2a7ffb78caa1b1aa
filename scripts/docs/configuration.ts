import { existsSync, readdirSync } from 'node:fs'
import { markdownList, wrap } from '@despatch/cli/markdown'
import { standaloneConfig } from '@despatch/standalone/settings'
import { standaloneDefaults } from '@despatch/standalone/stack'

type Setting = {
  description?: string | undefined
  safeParse(value: unknown): { success: boolean; data?: unknown; error?: Refusal | undefined }
}
type Refusal = { issues: readonly { message: string }[] }

/** Schemas of settings, by the process that reads them. */
type Readers = Readonly<Record<string, Schema>>
type Schema = { shape: Readonly<Record<string, Setting>> }

const services = new URL('../../services/', import.meta.url)

/** Returns docs/configuration.md: every setting of every process, from the schemas that read them. */
export async function describeConfiguration(): Promise<string> {
  const readers = { 'npm start': standaloneConfig, ...(await importServiceConfigs()) }
  return `# Configuration

<!-- Written by \`npm run docs\`. Change each service's src/config.ts, or infra/standalone/src/settings.ts. -->

Settings are environment variables. Each process reads its settings once, at its start. If a setting is missing or not
valid, the process does not start and prints a line with the name of the setting, never its value. An empty variable
counts as absent.

${wrap(`\`npm start\` runs all services in one process. It sets the address of the database and of the object store and
the secret key, and passes on all other variables unchanged, so all settings of the services can be set there. It changes
these defaults: ${listStandaloneDefaults()}.`)}

${markdownList(listSettings(readers))}
`
}

async function importServiceConfigs(): Promise<Readers> {
  const configs: Record<string, Schema> = {}
  for (const service of readdirSync(services).sort()) {
    const file = new URL(`${service}/src/config.ts`, services)
    if (!existsSync(file)) continue
    const exported: unknown[] = Object.values(await import(file.href))
    const schemas = exported.filter(isSchema)
    if (schemas.length !== 1) throw new Error(`${service}/src/config.ts must export one schema`)
    Object.assign(configs, { [service]: schemas[0] })
  }
  return configs
}

function isSchema(exported: unknown): exported is Schema {
  return typeof exported === 'object' && exported !== null && 'shape' in exported
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
