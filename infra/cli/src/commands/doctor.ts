import { countOf } from '../count-of.ts'
import type { Finding } from '../doctor/finding.ts'
import { serviceEnvironment } from '../doctor/service-environment.ts'
import type { GlobalOptions, Parts } from '../program.ts'
import { readKnownSettings } from '../settings.ts'
import { printable } from '../table.ts'
import { addReconcileOptions, type ReconcileOptions, reconcileStores } from './doctor-reconcile.ts'

/** Adds the command that reports what is wrong with a Despatch and its environment, and how to fix it. */
export function addCommands({ program, context }: Parts): void {
  const doctor = program
    .command('doctor')
    .description('checks the configuration and its dependencies, and suggests fixes')
    .addHelpText('after', helpAboutChecks)
  addReconcileOptions(doctor)
  doctor.action(async (options: ReconcileOptions) => {
    const { json = false, ...addresses } = program.opts<GlobalOptions>()
    const { print, endWith } = context
    const environment = serviceEnvironment(context.environment)
    if (Object.keys(options).length > 0) {
      return reconcileStores(options, json, { ...context, environment })
    }
    const settings = await readKnownSettings(addresses, context)
    // Loaded here, because it loads database and object store clients that no other command requires.
    const { examine } = await import('../doctor/examine.ts')
    const findings = await examine({ environment, settings, now: () => new Date() })
    const isHealthy = !findings.some(({ state }) => state === 'bad')
    print(json ? JSON.stringify({ isHealthy, findings }, null, 2) : renderFindings(findings))
    if (!isHealthy) endWith(1)
  })
}

const helpAboutChecks = `
Addresses and credentials are read as for every command. The command also checks these environment variables, as the services
read them (secrets also from files): DATABASE_URL, QUEUE_URL, S3_*, DESPATCH_SECRET_KEY, DESPATCH_KEY_*,
DESPATCH_CALLBACK_ALLOW, DESPATCH_ENVIRONMENT. Run it where the services run. It writes a probe object to the bucket and deletes it. It changes nothing else.

Ends with 0 when there are no errors (there may be warnings), else with 1.`

const marks = { good: 'ok  ', warning: 'WARN', bad: 'BAD ', skipped: '-   ' } as const

/** Renders one line for each finding, and below it how to fix it. */
export function renderFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ subject }) => subject.length))
  const lines = findings.flatMap(({ subject, state, found, mend }) => [
    `${marks[state]}  ${subject.padEnd(width)}  ${printable(found)}`,
    ...(mend === undefined ? [] : [`${' '.repeat(width + 8)}fix: ${mend}`]),
  ])
  const bad = findings.filter(({ state }) => state === 'bad').length
  const warnings = findings.filter(({ state }) => state === 'warning').length
  return [...lines, '', `${countOf(bad, 'error')}, ${countOf(warnings, 'warning')}.`].join('\n')
}
