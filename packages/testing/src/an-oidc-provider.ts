import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import Provider, { type AdapterConstructor } from 'oidc-provider'
// @ts-expect-error: it has no types
import MemoryAdapter from 'oidc-provider/lib/adapters/memory_adapter.js'

/** The claims of a person, besides `sub`. */
export type Person = { name?: string; email?: string; groups?: readonly string[]; azp?: string }

const clientId = 'despatch'
const clientSecret = 'the secret of the client'
const artefacts = ['AccessToken', 'Grant', 'IdToken', 'Interaction', 'Session']
const scopes = { profile: ['name', 'groups', 'azp'], email: ['email'] }

/**
 * A real OpenID provider, on a port of its own. Its only client is the console at this address, which must use PKCE. The
 * people may be changed while it runs. Its sign-in page asks for a person's name and no password; without a name, the
 * provider refuses the sign-in. Without a userinfo endpoint, all claims are in the ID token.
 */
export async function anOidcProvider({
  consoleUrl,
  people,
  hasUserinfo = true,
}: {
  consoleUrl: string
  people: Record<string, Person>
  hasUserinfo?: boolean
}) {
  let serve: RequestListener = () => undefined
  const server = createServer((request, response) => serve(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Another site than the console, as a browser sees it.
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`
  const provider = createProvider(issuer, { consoleUrl, people, hasUserinfo })
  const answer = provider.callback()
  let publishedKeys: string | undefined
  serve = (request, response) => {
    if (publishedKeys && request.url === '/jwks') return response.end(publishedKeys)
    if (!request.url?.startsWith('/interaction/')) return answer(request, response)
    if (request.method === 'GET') return response.end(signInPage)
    void (async () => {
      const { grantId, params } = await provider.interactionDetails(request, response)
      const login = new URLSearchParams(await text(request)).get('login')
      if (!login) {
        const refusal = { error: 'access_denied', error_description: 'a text of the provider' }
        return provider.interactionFinished(request, response, refusal)
      }
      const grant = new provider.Grant({ accountId: login, clientId })
      grant.addOIDCScope(String(params.scope))
      await provider.interactionFinished(request, response, {
        login: { accountId: login },
        consent: { grantId: grantId ?? (await grant.save()) },
      })
    })()
  }
  return {
    issuer,
    people,
    /** The settings of administration for this provider. */
    settings: {
      DESPATCH_OIDC_ISSUER: issuer,
      DESPATCH_OIDC_CLIENT_ID: clientId,
      DESPATCH_OIDC_CLIENT_SECRET: clientSecret,
      DESPATCH_OIDC_CONSOLE_URL: consoleUrl,
      DESPATCH_OIDC_NAME: 'Example ID',
      DESPATCH_OIDC_ROLES_CLAIM: 'groups',
      DESPATCH_OIDC_ROLES: 'ops=operator,ops-admins=admin,ops-addresses=address-editor',
    },
    clientSecret,
    /** From now on publishes other keys than those that it signs with. */
    publishOtherKeys: () => {
      publishedKeys = JSON.stringify({ keys: [aSigningKey('public')] })
    },
    signInAs: (login: string, url: string) => signInAs(login, url, consoleUrl),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function createProvider(
  issuer: string,
  { consoleUrl, people, hasUserinfo }: Required<Parameters<typeof anOidcProvider>[0]>,
) {
  return new Provider(issuer, {
    jwks: { keys: [aSigningKey('private')] },
    cookies: { keys: ['a key of this test'] },
    conformIdTokenClaims: hasUserinfo,
    features: {
      userinfo: { enabled: hasUserinfo },
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (context, form) => {
          context.body = `<!doctype html><title>Example ID</title>${form}${signOutButton}`
        },
      },
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    claims: scopes,
    // Without a class and times of its own, the provider warns of its defaults.
    adapter: class extends (MemoryAdapter as AdapterConstructor) {},
    ttl: Object.fromEntries(artefacts.map((name) => [name, 600])),
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${consoleUrl}/sign-in`],
        post_logout_redirect_uris: [`${consoleUrl}/sign-in`],
      },
    ],
    findAccount: (_, sub) => ({ accountId: sub, claims: async () => ({ ...people[sub], sub }) }),
  })
}

function aSigningKey(half: 'private' | 'public') {
  const { [`${half}Key` as const]: key } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { ...key.export({ format: 'jwk' }), kid: 'the key', use: 'sig', alg: 'RS256' }
}

const signOutButton = '<button form="op.logoutForm" name="logout" value="yes">Sign out</button>'
const signInPage = `<!doctype html><title>Example ID</title>
<form method="post"><label>Name <input name="login"></label><button>Sign in</button></form>`

/** Goes through the pages of the provider as a browser does. Returns the parameters with which it leads back. */
async function signInAs(
  login: string,
  authorizationUrl: string,
  consoleUrl: string,
): Promise<Record<string, string>> {
  const cookies = new Map<string, string>()
  let url = new URL(authorizationUrl)
  for (let step = 0; step < 10; step += 1) {
    const isForm = url.pathname.startsWith('/interaction/')
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
      ...(isForm && { method: 'POST', body: new URLSearchParams({ login }) }),
    })
    for (const set of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!
      cookies.set(name!, value!)
    }
    const location = answer.headers.get('location')
    if (location === null) throw new Error(`${answer.status}: ${await answer.text()}`)
    url = new URL(location, url)
    if (url.origin === consoleUrl) return Object.fromEntries(url.searchParams)
  }
  throw new Error('The provider does not lead back')
}
