import { listSignInMethods as operation } from '@despatch/contracts/administration/session-operations'
import type { Api } from '@despatch/http/api'
import type { Oidc } from '../oidc/oidc.ts'

/** GET /sign-in-methods: returns how operators may sign in to the console. */
export function listSignInMethods(api: Api, { oidc }: { oidc: Oidc | undefined }): void {
  const { provider, allowsLocalAccounts: localAccounts = true } = oidc ?? {}
  api.route({
    ...operation,
    config: { open: true },
    handler: async () => ({ localAccounts, ...(provider && { oidc: { name: provider.name } }) }),
  })
}
