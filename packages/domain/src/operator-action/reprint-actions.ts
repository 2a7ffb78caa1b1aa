import type { OperatorAction } from './operator-action.ts'

/** The facts that decide which actions on a reprint are possible. */
type ReprintFacts = {
  state: 'WAITING' | 'AUTHORISED' | 'REFUSED'
  /** The caller requested it. */
  isOwn: boolean
}

const path = '/reprints/:reprintId'

const bySecondPerson = {
  when: { isOwn: true },
  whyNot: 'The decision on a reprint requires a second person',
} as const

/** The decisions of an operator on a reprint that waits. */
export const reprintActions: Readonly<
  Record<'authorise' | 'refuse', OperatorAction<ReprintFacts>>
> = {
  authorise: {
    operationId: 'authoriseReprint',
    path: `${path}/authorise`,
    reason: null,
    refusals: [{ when: { state: 'REFUSED' }, whyNot: 'is already REFUSED' }, bySecondPerson],
    effect: 'Authorises one more print of a document.',
    label: 'Authorise',
  },
  refuse: {
    operationId: 'refuseReprint',
    path: `${path}/refuse`,
    reason: { member: 'reason', question: 'Reason', shown: 'to the consumer' },
    refusals: [{ when: { state: 'AUTHORISED' }, whyNot: 'is already AUTHORISED' }, bySecondPerson],
    effect: 'Refuses a reprint, and rejects the print job of the document.',
    label: 'Refuse',
  },
}
