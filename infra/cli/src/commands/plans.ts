import type {
  UsagePlanResponse,
  UsagePlansResponse,
} from '@despatch/contracts/administration/usage-plan'
import { serviceNames } from '@despatch/domain/access/caller'
import { addingTo } from '../operation-command.ts'
import type { Parts } from '../program.ts'
import { renderRows } from '../table.ts'
import { needed, oneOf, option, parseWholeNumber } from './option.ts'

type Limit = UsagePlanResponse['limits'][number]
type SetOptions = {
  service: string
  requestsPerSecond: number
  burst?: number
  requestsPerDay?: number | false
  bytesPerDay?: number | false
}

export function addCommands(parts: Parts): void {
  const plans = parts.program.command('plans').description('usage limits of consumers')
  const add = addingTo(plans, parts)

  add({
    usage: 'list',
    operation: 'listUsagePlans',
    route: 'GET /usage-plans',
    does: 'lists usage plans with the limits of each service',
    text: ({ usagePlans }) => renderPlans(usagePlans),
  })
  add({
    usage: 'set <plan>',
    operation: 'putUsagePlan',
    route: 'PUT /usage-plans/:name',
    does: 'sets the limits of one service in a plan; omitted limits stay unchanged; a missing plan is created',
    options: [
      oneOf('--service <service>', 'service to limit', serviceNames).makeOptionMandatory(),
      needed(
        '--requests-per-second <number>',
        'requests per second of each consumer',
        parseWholeNumber,
      ),
      option(
        '--burst <number>',
        'requests above the rate that are accepted at once; 0 for a service that has no limits yet',
        parseWholeNumber,
      ),
      option('--requests-per-day <number>', 'maximum requests per day', parseWholeNumber),
      option('--no-requests-per-day', 'remove the limit of --requests-per-day'),
      option(
        '--bytes-per-day <number>',
        'maximum bytes of request bodies per day',
        parseWholeNumber,
      ),
      option('--no-bytes-per-day', 'remove the limit of --bytes-per-day'),
    ],
    members: { plan: 'name' },
    send: async ({ session, path }, { plan, ...limit }: SetOptions & { plan: string }) => {
      const { usagePlans } = await session.send<UsagePlansResponse>('GET', '/usage-plans')
      const known = usagePlans.find(({ name }) => name === plan)
      return session.send('PUT', path, { limits: withLimit(known?.limits ?? [], limit) })
    },
    text: (plan) => renderPlans([plan]),
  })
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
  const rows = plans.flatMap(({ name, limits }) =>
    limits.map((limit) => ({ plan: name, ...limit })),
  )
  return renderRows(rows, {
    plan: 'plan',
    service: 'service',
    'per second': 'requestsPerSecond',
    burst: 'burst',
    'per day': 'requestsPerDay',
    'bytes per day': 'bytesPerDay',
  })
}
