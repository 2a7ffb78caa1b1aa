import { callbacksConfig } from '@despatch/callbacks/config'
import { fulfilmentConfig } from '@despatch/fulfilment/config'
import { opsConsoleConfig } from '@despatch/ops-console/config'
import { pipelineConfig } from '@despatch/pipeline/config'
import { printRequestConfig } from '@despatch/print-request/config'
import { providerSimulatorConfig } from '@despatch/provider-simulator/config'
import { standaloneConfig } from '@despatch/standalone/settings'
import { standaloneDefaults } from '@despatch/standalone/stack'
import { thirdpartyAccessConfig } from '@despatch/thirdparty-access/config'
import { markdownTable } from './markdown-table.ts'

type Setting = {
  description?: string | undefined
  safeParse(value: unknown): { success: boolean; data?: unknown; error?: Refusal | undefined }
}
type Refusal = { issues: readonly { message: string }[] }

const readers: Record<string, { shape: Readonly<Record<string, Setting>> }> = {
  'npm start': standaloneConfig,
  callbacks: callbacksConfig,
  fulfilment: fulfilmentConfig,
  'ops-console': opsConsoleConfig,
  pipeline: pipelineConfig,
  'print-request': printRequestConfig,
  'provider-simulator': providerSimulatorConfig,
  'thirdparty-access': thirdpartyAccessConfig,
}

/** docs/configuration.md: every setting of every process, from the schemas that read them. */
export function describeConfiguration(): string {
  return `# Configuration

<!-- Written by \`npm run docs\` from each service's src/config.ts and infra/standalone/src/settings.ts: change it there. -->

Settings are environment variables. Each process reads its own once, when it starts; one that is missing or wrong ends the
start with a line that names it and never shows its value. An empty variable counts as absent.

\`npm start\` runs every service in one process. It gives them what it starts itself (database, object store, secret key)
and hands on every other variable as it is, so all settings of the services can be set there too. Its own defaults for
them: ${listStandaloneDefaults()}.

${markdownTable(['name', 'default', 'meaning', 'value', 'read by'], listSettings())}
`
}

function listStandaloneDefaults(): string {
  return Object.entries(standaloneDefaults)
    .map(([name, value]) => `\`${name}=${value}\``)
    .join(', ')
}

/** One row for each name and meaning: a setting that processes read alike is listed once. */
function listSettings(): string[][] {
  const rows = new Map<string, { cells: string[]; readBy: string[] }>()
  for (const [reader, { shape }] of Object.entries(readers)) {
    for (const [name, setting] of Object.entries(shape)) {
      const { description = '' } = setting
      const cells = [`\`${name}\``, defaultOf(setting), description, ruleOf(setting)]
      const row = rows.get(cells.join('\n')) ?? { cells, readBy: [] }
      row.readBy.push(reader)
      rows.set(cells.join('\n'), row)
    }
  }
  return [...rows.entries()]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, { cells, readBy }]) => [...cells, readBy.join(', ')])
}

function defaultOf(setting: Setting): string {
  const absent = setting.safeParse(undefined)
  if (!absent.success) return 'required'
  const { data } = absent
  const isNothing = data === undefined || (Array.isArray(data) && data.length === 0)
  return isNothing ? 'none' : `\`${String(data)}\``
}

/** What the setting says of a value that no rule allows; a setting without a rule takes any text. */
function ruleOf(setting: Setting): string {
  const [issue] = setting.safeParse('\0').error?.issues ?? []
  return issue?.message ?? 'any text'
}
