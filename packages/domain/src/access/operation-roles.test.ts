import { expect, test } from 'vitest'
import type { Role } from './caller.ts'
import { type OperationWithRoles, operationRoles, whyNotPermitted } from './operation-roles.ts'

const lacksAdmin = 'Requires the admin role.'
const lacksEditor = 'Requires the address-editor or admin role.'
const lacksOperator = 'Requires the operator or admin role.'

test.for<[operation: OperationWithRoles, roles: Role[], whyNot: string | null]>([
  ['pauseQueue', ['admin'], null],
  ['pauseQueue', ['operator'], lacksAdmin],
  ['pauseQueue', ['operator', 'address-editor'], lacksAdmin],
  ['overrideAddress', ['address-editor'], null],
  ['overrideAddress', ['admin'], null],
  ['overrideAddress', ['operator', 'address-editor'], null],
  ['overrideAddress', ['operator'], lacksEditor],
  ['holdPrintJobByKey', ['operator'], null],
  ['holdPrintJobByKey', ['admin'], null],
  ['holdPrintJobByKey', ['address-editor'], lacksOperator],
  ['holdPrintJobByKey', [], lacksOperator],
])('%s by an account with the roles %j: %s', ([operation, roles, whyNot]) => {
  expect(whyNotPermitted(operationRoles[operation], { roles })).toBe(whyNot)
})
