import { ConfigError } from '@despatch/config/read-config'
import { operatorSignInSettings, secureUrl } from '@despatch/config/shared-settings'
import type { Role } from '@despatch/domain/access/caller'
import { z } from 'zod'

const text = z.string()
const consoleRoles = ['operator', 'address-editor', 'admin'] as const satisfies readonly Role[]
type ConsoleRole = (typeof consoleRoles)[number]

/** Sign-in of operators by an OpenID provider. */
export const oidcSettings = {
  ...operatorSignInSettings,
  DESPATCH_OIDC_CLIENT_ID: text
    .optional()
    .describe('client id of Despatch at the OpenID provider; required with DESPATCH_OIDC_ISSUER'),
  DESPATCH_OIDC_CLIENT_SECRET: text
    .optional()
    .describe(
      'client secret of Despatch at the OpenID provider; required with DESPATCH_OIDC_ISSUER',
    ),
  DESPATCH_OIDC_CONSOLE_URL: text
    .regex(secureUrl, 'must start with https://, or with http:// at localhost')
    .regex(/^https?:\/\/[^/\s]+$/, 'must have no path')
    .optional()
    .describe(
      'address of the console in the browser of an operator, without a path: the redirect URI at the OpenID provider is this address with /sign-in; required with DESPATCH_OIDC_ISSUER',
    ),
  DESPATCH_OIDC_NAME: text
    .max(60, 'must have at most 60 characters')
    .default('single sign-on')
    .describe('name of the OpenID provider on the sign-in page'),
  DESPATCH_OIDC_SCOPES: text
    .refine((scopes) => scopes.split(' ').includes('openid'), 'must contain openid')
    .default('openid profile email')
    .describe('scopes to request, separated by spaces'),
  DESPATCH_OIDC_ROLES_CLAIM: text
    .default('roles')
    .describe(
      'claim of the ID token, or of the userinfo endpoint, that contains roles or groups; dots lead into objects, such as realm_access.roles',
    ),
  DESPATCH_OIDC_ROLES: text
    .transform((given, context) => {
      const pairs = given.split(',').map(parsePair)
      if (pairs.every((pair) => pair !== undefined)) return pairs
      const message = `must be value=role pairs, separated by commas, with the roles ${consoleRoles.join(', ')}`
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    })
    .optional()
    .describe(
      'values of that claim and their roles, such as despatch-ops=operator,despatch-admins=admin; required with DESPATCH_OIDC_ISSUER',
    ),
}

/** A value of the claim of roles, and the role that it grants. */
export type RoleGrant = { value: string; role: ConsoleRole }

function parsePair(pair: string): RoleGrant | undefined {
  const [, value = '', name] = /^(.+)=([^=]+)$/.exec(pair.trim()) ?? []
  const role = consoleRoles.find((each) => each === name?.trim())
  return role && { value: value.trim(), role }
}

export type OidcSettings = {
  issuer: URL
  clientId: string
  clientSecret: string
  /** The address of the console, without a path. */
  consoleUrl: string
  name: string
  scopes: string
  rolesClaim: string
  roleGrants: readonly RoleGrant[]
}

const shape = z.object(oidcSettings)

/**
 * Returns the settings of the OpenID provider; undefined if none is set up. Throws a ConfigError with a line for each
 * setting that is missing.
 */
export function oidcFrom(config: z.output<typeof shape>): OidcSettings | undefined {
  const {
    DESPATCH_OIDC_ISSUER: issuer,
    DESPATCH_OIDC_CLIENT_ID: clientId,
    DESPATCH_OIDC_CLIENT_SECRET: clientSecret,
    DESPATCH_OIDC_CONSOLE_URL: consoleUrl,
    DESPATCH_OIDC_ROLES: roleGrants,
  } = config
  const given = {
    DESPATCH_OIDC_CLIENT_ID: clientId,
    DESPATCH_OIDC_CLIENT_SECRET: clientSecret,
    DESPATCH_OIDC_CONSOLE_URL: consoleUrl,
    DESPATCH_OIDC_ROLES: roleGrants,
  }
  if (issuer === undefined) {
    const names = Object.entries(given).flatMap(([name, value]) => (value ? [name] : []))
    if (names.length === 0) return undefined
    throw new ConfigError(names.map((name) => `${name} requires DESPATCH_OIDC_ISSUER`).join('\n'))
  }
  if (!clientId || !clientSecret || !consoleUrl || !roleGrants) {
    const missing = Object.entries(given).flatMap(([name, value]) => (value ? [] : [name]))
    throw new ConfigError(
      missing.map((name) => `${name} is required with DESPATCH_OIDC_ISSUER`).join('\n'),
    )
  }
  return {
    issuer: new URL(issuer),
    clientId,
    clientSecret,
    consoleUrl,
    name: config.DESPATCH_OIDC_NAME,
    scopes: config.DESPATCH_OIDC_SCOPES,
    rolesClaim: config.DESPATCH_OIDC_ROLES_CLAIM,
    roleGrants,
  }
}
