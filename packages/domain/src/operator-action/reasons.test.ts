import { expect, test } from 'vitest'
import { callbackActions } from './callback-actions.ts'
import type { ActionReason } from './operator-action.ts'
import { printJobActions, redriveParked } from './print-job-actions.ts'
import { printRunActions, settleRecall } from './print-run-actions.ts'
import { queueActions } from './queue-actions.ts'
import { reprintActions } from './reprint-actions.ts'

type Asks = 'a reason' | 'a note' | 'an optional reason' | 'nothing'

test.for<[what: string, asks: Asks, actions: object]>([
  ['changes a print job', 'a reason', printJobActions],
  ['retries all parked print jobs', 'a reason', { redriveParked }],
  ['releases a print run early', 'nothing', pick(printRunActions, 'release')],
  ['stops, moves or posts letters', 'a reason', pick(printRunActions, 'move', 'recall', 'post')],
  ['speaks for a provider', 'a note', { ...pick(printRunActions, 'close'), settleRecall }],
  ['authorises a reprint', 'nothing', pick(reprintActions, 'authorise')],
  ['refuses a reprint', 'a reason', pick(reprintActions, 'refuse')],
  ['sends callbacks again', 'nothing', callbackActions],
  ['pauses a queue', 'an optional reason', pick(queueActions, 'pause')],
  [
    'resumes, drains or retries a queue',
    'nothing',
    pick(queueActions, 'resume', 'drain', 'redrive'),
  ],
])('an action that %s asks for %s', ([, asks, actions]) => {
  const reasons = Object.values(actions).map(({ reason }) => asksFor(reason))

  expect(new Set(reasons)).toEqual(new Set([asks]))
})

function asksFor(reason: ActionReason | null): string {
  if (reason === null) return 'nothing'
  return `${reason.isOptional ? 'an optional' : 'a'} ${reason.member}`
}

function pick<Actions, Name extends keyof Actions>(actions: Actions, ...names: Name[]): object {
  return Object.fromEntries(names.map((name) => [name, actions[name]]))
}
