import type { OperatorAction } from './operator-action.ts'

/** The actions of an operator on one callback, and on all that a filter selects. */
export const callbackActions: Readonly<
  Record<'replay' | 'replay-many', OperatorAction<{ isPurged: boolean }>>
> = {
  replay: {
    operationId: 'replayCallback',
    path: '/callbacks/:callbackId/replay',
    reason: null,
    refusals: [
      { when: { isPurged: true }, whyNot: 'Its message was deleted at the end of its retention' },
    ],
    effect: 'Sends a callback again at once, with the same message and id.',
    label: 'Send again',
  },
  'replay-many': {
    operationId: 'replayCallbacks',
    path: '/callbacks/replay',
    reason: null,
    refusals: [],
    effect: 'Sends callbacks again after you confirm their count; by default, dead ones.',
    label: 'Send again',
  },
}
