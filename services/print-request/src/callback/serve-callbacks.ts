import type { SealedBox } from '@despatch/access/sealed-box'
import type { AllowedRange } from '@despatch/domain/callback/may-call'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { createSigningSecret } from '../operations/create-signing-secret.ts'
import { deleteSigningSecret } from '../operations/delete-signing-secret.ts'
import { getCallback } from '../operations/get-callback.ts'
import { listCallbacks } from '../operations/list-callbacks.ts'
import { listSigningSecrets } from '../operations/list-signing-secrets.ts'
import { replayCallback } from '../operations/replay-callback.ts'
import { replayCallbacks } from '../operations/replay-callbacks.ts'
import { sendTestCallback } from '../operations/send-test-callback.ts'

type CallbacksContext = {
  db: Db
  callbackAllow: readonly AllowedRange[]
  destinations: SealedBox
  secrets: SealedBox
  now: () => Date
}

/** Registers the operations by which consumers view and manage their callbacks. */
export function serveCallbacks(
  api: Api,
  { db, callbackAllow, destinations, secrets, now }: CallbacksContext,
): void {
  listCallbacks(api, { db })
  getCallback(api, { db })
  replayCallback(api, { db })
  replayCallbacks(api, { db })
  sendTestCallback(api, { db, callbackAllow, seal: destinations.seal, now })
  listSigningSecrets(api, { db })
  createSigningSecret(api, { db, sealSecret: secrets.seal })
  deleteSigningSecret(api, { db })
}
