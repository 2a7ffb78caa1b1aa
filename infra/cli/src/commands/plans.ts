import type {
  UsagePlanResponse,
  UsagePlansResponse,
} from '@despatch/contracts/administration/usage-plan'
import { serviceNames } from '@despatch/domain/access/caller'
import type { Command } from 'commander'
import type { Run } from '../program.ts'
import type { Session } from '../session.ts'
import { renderTable } from '../table.ts'
import { forRoles } from './for-roles.ts'
import { oneOf, parseWholeNumber } from './option.ts'

type Limit = UsagePlanResponse['limits'][number]
type SetOptions = {
  service: string
  requestsPerSecond: number
  burst?: number
  requestsPerDay?: number | false
  bytesPerDay?: number | false
}

export function addPlanCommands(program: Command, run: Run): void {
  const plans = program.command('plans').description('usage limits of consumers')

  plans
    .command('list')
    .description('lists usage plans with the limits of each service')
    .action(() =>
      run(async (session) => {
        const usagePlans = await listPlans(session)
        return { document: { usagePlans }, text: renderPlans(usagePlans) }
      }),
    )

  plans
    .command('set <plan>')
    .description(
      forRoles(
        'putUsagePlan',
        'sets the limits of one service in a plan; omitted limits stay unchanged; a missing plan is created',
      ),
    )
    .addOption(oneOf('--service <service>', 'service to limit', serviceNames).makeOptionMandatory())
    .requiredOption(
      '--requests-per-second <number>',
      'requests per second of each consumer',
      parseWholeNumber,
    )
    .option(
      '--burst <number>',
      'requests above the rate that are accepted at once; 0 for a service that has no limits yet',
      parseWholeNumber,
    )
    .option('--requests-per-day <number>', 'maximum requests per day', parseWholeNumber)
    .option('--no-requests-per-day', 'remove the limit of --requests-per-day')
    .option('--bytes-per-day <number>', 'maximum bytes of request bodies per day', parseWholeNumber)
    .option('--no-bytes-per-day', 'remove the limit of --bytes-per-day')
    .action((name: string, limit: SetOptions) =>
      run(async (session) => {
        const known = (await listPlans(session)).find((plan) => plan.name === name)
        const limits = withLimit(known?.limits ?? [], limit)
        const path = `/usage-plans/${encodeURIComponent(name)}`
        const plan = await session.send<UsagePlanResponse>('PUT', path, { limits })
        return { document: plan, text: renderPlans([plan]) }
      }),
    )
}

async function listPlans({ send }: Session): Promise<UsagePlanResponse[]> {
  return (await send<UsagePlansResponse>('GET', '/usage-plans')).usagePlans
}

/** Changes or adds the limit of one service. */
function withLimit(
  limits: readonly Limit[],
  { service, requestsPerSecond, burst, requestsPerDay, bytesPerDay }: SetOptions,
): Limit[] {
  const known = limits.find((limit) => limit.service === service)
  const perDay = requestsPerDay ?? known?.requestsPerDay
  const bytes = bytesPerDay ?? known?.bytesPerDay
  const limit = {
    service,
    requestsPerSecond,
    burst: burst ?? known?.burst ?? 0,
    ...(typeof perDay === 'number' && { requestsPerDay: perDay }),
    ...(typeof bytes === 'number' && { bytesPerDay: bytes }),
  }
  return [...limits.filter((other) => other !== known), limit]
}

function renderPlans(plans: readonly UsagePlanResponse[]): string {
  const header = ['plan', 'service', 'per second', 'burst', 'per day', 'bytes per day']
  const rows = plans.flatMap(({ name, limits }) =>
    limits.map((limit) => [
      name,
      limit.service,
      String(limit.requestsPerSecond),
      String(limit.burst),
      limit.requestsPerDay === undefined ? '-' : String(limit.requestsPerDay),
      limit.bytesPerDay === undefined ? '-' : String(limit.bytesPerDay),
    ]),
  )
  return renderTable(header, rows)
}
