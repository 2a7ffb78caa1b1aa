import type { OperationWithRoles } from '../access/operation-roles.ts'

/**
 * An action of operators on a resource that has these facts, such as a print job. It is declared once, for the API, the
 * console and the command line.
 */
export type OperatorAction<Facts extends object = Record<never, never>> = {
  /** Id of its operation in the administration API. The table of operations has its roles. */
  operationId: OperationWithRoles
  /** Path of that operation below the API's version. At most one part is a parameter. The method is POST. */
  path: `/${string}`
  /** The reason that the operator gives; null if there is none. */
  reason: ActionReason | null
  /** When the action is not possible. The first refusal that matches applies. */
  refusals: readonly Refusal<Facts>[]
  /** What the action does, in one sentence. */
  effect: string
  /** The text on its button. */
  label: string
}

export type ActionReason = {
  /** The member of the request. */
  member: 'reason' | 'note'
  /** The question that it answers. */
  question: string
  /** Who or what shows it. */
  shown: string
  /** Whether the API accepts the action without it. The console always asks for it. */
  isOptional?: true
}

/** Matches if each of these facts has the value, or one of the values. */
export type Refusal<Facts extends object> = {
  when: { readonly [Fact in keyof Facts]?: Facts[Fact] | readonly Facts[Fact][] }
  whyNot: string
}

/** Returns why the action is not possible now; null if it is. A fact that is left out matches no refusal. */
export function whyNotPossible<Facts extends object>(
  { refusals }: Pick<OperatorAction<Facts>, 'refusals'>,
  facts: Partial<Facts>,
): string | null {
  const isGiven = ([fact, values]: [string, unknown]) =>
    [values].flat().includes(facts[fact as keyof Facts])
  return refusals.find(({ when }) => Object.entries(when).every(isGiven))?.whyNot ?? null
}

/** An action and, if it is not possible now, the reason. */
type PossibleAction<Name extends string = string> = {
  action: Name
  isPossible: boolean
  whyNot: string | null
}

/** Returns every action with whether it is possible now. */
export function possibleActions<Name extends string, Facts extends object>(
  actions: Readonly<Record<Name, Pick<OperatorAction<Facts>, 'refusals'>>>,
  facts: Facts,
): PossibleAction<Name>[] {
  return (Object.keys(actions) as Name[]).map((action) => {
    const whyNot = whyNotPossible(actions[action], facts)
    return { action, isPossible: whyNot === null, whyNot }
  })
}

/** Returns the path of the action on the resource with this id. */
export function actionPath({ path }: Pick<OperatorAction, 'path'>, id = ''): string {
  return path.replace(/:\w+/, encodeURIComponent(id))
}
