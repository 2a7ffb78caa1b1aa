import { whyNotPossible } from '@despatch/domain/operator-action/operator-action'
import { printRunActions } from '@despatch/domain/operator-action/print-run-actions'
import { controlledQueues } from '@despatch/domain/operator-action/queue-actions'
import { printRunStates } from '@despatch/domain/print-run/state'
import { queueNames } from '@despatch/queue/queues'
import { expect, test } from 'vitest'
import { renderDomainModule } from './domain-module.ts'

const served = await import(`data:text/javascript,${encodeURIComponent(renderDomainModule())}`)

test.for(Object.entries(printRunActions))(
  '%s is possible for a page where the API accepts it',
  ([name, action]) => {
    for (const state of printRunStates) {
      for (const isAccountedFor of [true, false]) {
        const facts = { state, isAccountedFor }
        expect(served.whyNotPossible(served.printRunActions[name], facts)).toBe(
          whyNotPossible(action, facts),
        )
      }
    }
  },
)

test('a page offers an operation to those whose role the API accepts', () => {
  const pause = served.operationRoles[served.queueActions.pause.operationId]

  expect(served.whyNotPermitted(pause, { roles: ['operator', 'admin'] })).toBeNull()
  expect(served.whyNotPermitted(pause, { roles: ['operator'] })).toBe('Requires the admin role.')
})

test('a page calls the path of the API', () => {
  expect(served.actionPath(served.printJobActions['override-address'], 'a b')).toBe(
    '/print-jobs/a%20b/address',
  )
})

test('operators control every queue that there is', () => {
  expect(controlledQueues).toEqual(queueNames)
})
