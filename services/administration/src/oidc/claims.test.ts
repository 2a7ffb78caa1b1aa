import { describe, expect, test } from 'vitest'
import { accountOf, rolesOf } from './claims.ts'

const roleGrants = [
  { value: 'ops', role: 'operator' },
  { value: 'ops-night', role: 'operator' },
  { value: 'ops-admins', role: 'admin' },
] as const

describe('roles', () => {
  test.for([
    ['roles', { roles: ['ops', 'ops-night', 'staff'] }, ['operator']],
    ['roles', { roles: 'ops-admins' }, ['admin']],
    ['roles', { roles: 'ops ops-admins' }, []],
    ['roles', { roles: { ops: true } }, []],
    ['roles', {}, []],
    ['realm_access.roles', { realm_access: { roles: ['ops'] } }, ['operator']],
    ['realm_access.roles', { realm_access: 'roles' }, []],
    ['https://example.com/roles', { 'https://example.com/roles': ['ops'] }, ['operator']],
    ['__proto__.roles', {}, []],
  ] as const)('from the claim %s in %o are %o', ([rolesClaim, claims, roles]) => {
    expect(rolesOf(claims, { rolesClaim, roleGrants })).toEqual(roles)
  })
})

describe('the account', () => {
  const ada = { issuer: 'https://login.example', subject: 'ada' }
  const idOf = (subject: typeof ada) => accountOf(subject, {}, []).id

  test('has an id that depends only on issuer and subject', () => {
    const { id } = accountOf(ada, { email: 'ada@example.com', name: 'Ada' }, ['operator'])

    expect(id).toBe(idOf(ada))
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    expect(idOf({ ...ada, subject: 'bob' })).not.toBe(id)
    expect(idOf({ ...ada, issuer: 'https://other.example' })).not.toBe(id)
  })

  test.for([
    [{ email: 'ada@example.com', preferred_username: 'ada' }, 'ada@example.com', 'ada'],
    [{ name: 'Ada Byron', preferred_username: 'ada' }, 'ada', 'Ada Byron'],
    [{ name: '', email: 'аdа@example.com' }, 'oidc', 'аdа@example.com'],
    [{ name: 7 }, 'oidc', 'ada'],
    [{ name: 'A\u0000d\u202ea\n' }, 'oidc', 'Ada'],
    [{ name: '\u0000', preferred_username: 'ada b' }, 'oidc', 'ada b'],
    [{ name: 'n'.repeat(300), email: 'e'.repeat(60) }, 'e'.repeat(48), 'n'.repeat(255)],
  ] as const)('with the claims %o has the names %s and %s', ([claims, readable, name]) => {
    const account = accountOf(ada, claims, [])

    expect(account).toMatchObject({ userName: `${readable}#${account.id.slice(0, 8)}`, name })
  })
})
