import type { PossibleAction } from '@despatch/domain/operator-action/operator-action'
import { z } from 'zod'

/** Schema of the actions on one thing: all of them, each with whether it is possible now. */
export function possibleActionsSchema<Name extends string>(names: readonly Name[]) {
  return z
    .array(
      z.object({
        action: z.enum(names),
        isPossible: z.boolean(),
        whyNot: z.string().optional().describe('Present if the action is not possible'),
      }),
    )
    .describe('All actions, with whether each is possible now, and if not, why')
}

export function renderPossibleActions<Name extends string>(
  actions: readonly PossibleAction<Name>[],
) {
  return actions.map(({ action, whyNot }) => ({
    action,
    isPossible: whyNot === null,
    ...(whyNot !== null && { whyNot }),
  }))
}
