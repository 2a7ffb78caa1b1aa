import { z } from 'zod'
import { ifKnown } from './stored.ts'

/** Schema of the actions on one thing: all of them, each with whether it is possible now. */
export function possibleActionsSchema<Name extends string>(names: readonly Name[]) {
  return z
    .array(
      z.object({
        action: z.enum(names),
        isPossible: z.boolean(),
        whyNot: ifKnown(z.string()).describe('Present if the action is not possible'),
      }),
    )
    .describe('All actions, with whether each is possible now, and if not, why')
}
