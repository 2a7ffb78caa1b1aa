import type { OperatorAction } from '../operator-action/operator-action.ts'
import { type PrintJobFacts, printJobActions } from '../operator-action/print-job-actions.ts'

/**
 * The actions of a consumer on its own print job. They are the actions of an operator that a consumer may use too. The
 * operations and the timeline of the consumer both use this list.
 */
const actions = {
  hold: {
    refusals: [
      ...printJobActions.hold.refusals,
      { when: { isHeld: true }, whyNot: 'It is already held.' },
    ],
  },
  release: {
    refusals: [
      ...printJobActions.release.refusals,
      { when: { isHeldByOperator: true }, whyNot: 'An operator holds it.' },
    ],
  },
  delete: {
    refusals: [
      // an operator can recall it, a consumer cannot
      { when: { status: 'PRODUCTION' }, whyNot: 'A provider has claimed it.' },
      // nor does it know that its print job is parked, which an operator can end
      { when: { status: ['QUARANTINE', 'VALIDATING'] }, whyNot: 'It is still being checked.' },
      ...printJobActions.cancel.refusals,
    ],
  },
} satisfies Record<string, OwnAction>

export type OwnAction = Pick<OperatorAction<PrintJobFacts>, 'refusals'>
type OwnActionName = keyof typeof actions

export const ownActions: Readonly<Record<OwnActionName, OwnAction>> = actions

export const ownActionNames = Object.keys(ownActions) as readonly OwnActionName[]
