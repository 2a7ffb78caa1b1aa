import { type OperationWithRoles, operationRoles } from '@despatch/domain/access/operation-roles'

/** Returns the description of a command, with the roles that its operation requires if not every operator has one. */
export function forRoles(operationId: OperationWithRoles, description: string): string {
  const roles: readonly string[] = operationRoles[operationId]
  return roles.includes('operator')
    ? description
    : `${description}; requires the ${roles.join(' or ')} role`
}
