import type { ConsumerDetailsResponse } from '@despatch/contracts/administration/consumer'
import type {
  UsagePlanResponse,
  UsagePlansResponse,
} from '@despatch/contracts/administration/usage-plan'
import { ask, Refusal } from '../parts/api.ts'
import { attempt } from '../parts/attempt.ts'
import { Button } from '../parts/elements.tsx'
import { Choice } from '../parts/form.tsx'
import { bytes, count } from '../parts/format.ts'
import { askFirst, type Question } from '../parts/question.tsx'
import { whyNotForMe } from '../parts/session.ts'
import { Table } from '../parts/table.tsx'

type Changing = { consumer: ConsumerDetailsResponse; path: string; again: () => unknown }

/** Returns the button that gives a consumer another usage plan. Null if the user may not. */
export function planButton(consumer: ConsumerDetailsResponse, path: string, again: () => unknown) {
  if (whyNotForMe('setUsagePlan') !== null) return null
  const change = () =>
    attempt(async () => {
      const { usagePlans } = await ask<UsagePlansResponse>('GET', '/usage-plans')
      askFirst(whichPlan({ consumer, path, again }, usagePlans))
    })
  return (
    <Button onClick={() => void change()} look="small">
      Change plan…
    </Button>
  )
}

/** Nothing changes until the operator has seen the limits of both plans. */
function whichPlan(changing: Changing, plans: readonly UsagePlanResponse[]): Question {
  const { name, usagePlan } = changing.consumer
  return {
    title: `Change the usage plan of ${name}`,
    button: 'Preview…',
    points: ['npx despatch plans set creates a plan, or changes its limits for all who have it.'],
    fields: [
      <Choice
        name="usagePlan"
        label="Usage plan"
        options={plans.map((plan) => plan.name)}
        value={usagePlan}
      />,
    ],
    onSend: async (given) => {
      if (given.usagePlan === usagePlan) throw new Refusal(0, `${name} has the plan ${usagePlan}.`)
      const named = (wanted?: string) => plans.find((plan) => plan.name === wanted)
      return {
        next: toChange(changing, { before: named(usagePlan), after: named(given.usagePlan)! }),
      }
    },
  }
}

function toChange(
  { consumer, path, again }: Changing,
  { before, after }: { before: UsagePlanResponse | undefined; after: UsagePlanResponse },
): Question {
  const { name, usagePlan } = consumer
  const services = [
    ...new Set([before, after].flatMap((plan) => plan?.limits ?? []).map(({ service }) => service)),
  ]
  return {
    title: `Change the usage plan of ${name} from ${usagePlan} to ${after.name}?`,
    button: 'Change 1 plan',
    points: ['The new limits apply within two seconds.'],
    details: (
      <Table
        caption="Limits of both plans"
        columns={['Service', usagePlan, after.name]}
        rows={services
          .sort()
          .map((service) => [service, limitsOf(before, service), limitsOf(after, service)])}
        empty="Neither plan has a limit."
      />
    ),
    onSend: async () => {
      await ask('PUT', `${path}/usage-plan`, { usagePlan: after.name })
      return { done: `Done: ${name} has the plan ${after.name}.`, again }
    },
  }
}

function limitsOf(plan: UsagePlanResponse | undefined, service: string): string {
  const limit = plan?.limits.find((one) => one.service === service)
  if (!limit) return 'no limit'
  const { requestsPerSecond, burst, requestsPerDay, bytesPerDay } = limit
  return [
    `${count(requestsPerSecond)} a second`,
    `${count(burst)} more a minute`,
    requestsPerDay && `${count(requestsPerDay)} a day`,
    bytesPerDay && `${bytes(bytesPerDay)} a day`,
  ]
    .filter(Boolean)
    .join(', ')
}
