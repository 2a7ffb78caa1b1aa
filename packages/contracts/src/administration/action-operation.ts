import type { OperatorAction } from '@despatch/domain/operator-action/operator-action'
import { security } from './answers.ts'
import { administrationPath } from './paths.ts'

/** Returns the part of an operation that the declaration of its action determines, besides its schema. */
export function actionRoute({ path }: Pick<OperatorAction, 'path'>) {
  return { method: 'POST', url: `${administrationPath}${path}` } as const
}

/** Returns the part of the schema that the declaration determines. `details` follow its effect. */
export function actionSchema(
  { operationId, effect }: Pick<OperatorAction, 'operationId' | 'effect'>,
  details?: string,
) {
  const description = details === undefined ? effect : `${effect} ${details}`
  return { operationId, description, security } as const
}
