import { ConfigError, readConfig } from '@despatch/config/read-config'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { oidcFrom, oidcSettings } from './settings.ts'

const all = {
  DESPATCH_OIDC_ISSUER: 'https://login.example/realm',
  DESPATCH_OIDC_CLIENT_ID: 'despatch',
  DESPATCH_OIDC_CLIENT_SECRET: 'hunter2',
  DESPATCH_OIDC_CONSOLE_URL: 'https://ops.example',
  DESPATCH_OIDC_ROLES: 'ops=operator, cn=ops-admins=admin',
}
const read = (given: Record<string, string>) => oidcFrom(readConfig(z.object(oidcSettings), given))

test('reads the provider with defaults, and no provider without an issuer', () => {
  expect(read(all)).toEqual({
    issuer: new URL('https://login.example/realm'),
    clientId: 'despatch',
    clientSecret: 'hunter2',
    consoleUrl: 'https://ops.example',
    name: 'single sign-on',
    scopes: 'openid profile email',
    rolesClaim: 'roles',
    roleGrants: [
      { value: 'ops', role: 'operator' },
      { value: 'cn=ops-admins', role: 'admin' },
    ],
  })
  expect(read({})).toBeUndefined()
})

test('names each setting that is missing, and each without an issuer', () => {
  const { DESPATCH_OIDC_ISSUER, DESPATCH_OIDC_CLIENT_ID } = all

  expect(() => read({ DESPATCH_OIDC_ISSUER, DESPATCH_OIDC_CLIENT_ID })).toThrow(
    new ConfigError(
      [
        'DESPATCH_OIDC_CLIENT_SECRET is required with DESPATCH_OIDC_ISSUER',
        'DESPATCH_OIDC_CONSOLE_URL is required with DESPATCH_OIDC_ISSUER',
        'DESPATCH_OIDC_ROLES is required with DESPATCH_OIDC_ISSUER',
      ].join('\n'),
    ),
  )
  expect(() => read({ DESPATCH_OIDC_CLIENT_ID })).toThrow(
    new ConfigError('DESPATCH_OIDC_CLIENT_ID requires DESPATCH_OIDC_ISSUER'),
  )
})

test.for([
  ['DESPATCH_OIDC_ISSUER', 'http://login.example'],
  ['DESPATCH_OIDC_ISSUER', 'http://localhost.example'],
  ['DESPATCH_OIDC_ISSUER', 'https://login.microsoftonline.com/common/v2.0'],
  ['DESPATCH_OIDC_ISSUER', 'https://login.microsoftonline.com/Organizations/v2.0'],
  ['DESPATCH_OIDC_ISSUER', 'https://login.microsoftonline.com:443//consumers/v2.0'],
  ['DESPATCH_OIDC_CONSOLE_URL', 'http://ops.example'],
  ['DESPATCH_OIDC_CONSOLE_URL', 'https://ops.example/sign-in'],
  ['DESPATCH_OIDC_SCOPES', 'profile'],
  ['DESPATCH_OIDC_ROLES', 'ops'],
  ['DESPATCH_OIDC_ROLES', 'ops=consumer'],
  ['DESPATCH_OIDC_ROLES', 'ops=operator,'],
  ['DESPATCH_OIDC_LOCAL_ACCOUNTS', 'yes'],
] as const)('refuses %s=%s', ([name, value]) => {
  expect(() => read({ ...all, [name]: value })).toThrow(new RegExp(`^${name} must `))
})

test.for(['http://localhost:3000', 'http://127.0.0.1:3000/realm', 'http://[::1]:3000'])(
  'accepts the issuer %s of this machine without TLS',
  (issuer) => {
    expect(read({ ...all, DESPATCH_OIDC_ISSUER: issuer })).toMatchObject({
      issuer: new URL(issuer),
    })
  },
)
