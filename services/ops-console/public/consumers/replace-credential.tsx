import type {
  ConsumerDetailsResponse,
  ResetPasswordResponse,
  RotatedApiKeyResponse,
} from '@despatch/contracts/administration/consumer'
import type { SessionResponse } from '@despatch/contracts/administration/session'
import { noCredentialDay } from '@despatch/domain/access/no-credential'
import { isSubjectAccount } from '@despatch/domain/access/subject-account'
import { ask } from '../parts/api.ts'
import { attempt } from '../parts/attempt.ts'
import { Button, CopyButton } from '../parts/elements.tsx'
import { Input } from '../parts/form.tsx'
import { goToProvider } from '../parts/provider-sign-in.ts'
import { askFirst, irreversible, type Question } from '../parts/question.tsx'
import { readSession, session, whyNotForMe } from '../parts/session.ts'

type Replacing = {
  consumer: ConsumerDetailsResponse
  path: string
  again: () => Promise<void>
}

/**
 * Returns the button that replaces a credential of a consumer. Null if the user may not, for an account without the
 * credential, and for the operator's own account, whose session would end before the new credential is shown.
 */
export function replaceButton(credential: 'API key' | 'password', replacing: Replacing) {
  const { consumer } = replacing
  const isKey = credential === 'API key'
  const day = isKey ? consumer.apiKeyExpiry : consumer.passwordExpiry
  if (day === noCredentialDay || consumer.consumerId === session.value?.consumerId) return null
  if (whyNotForMe(isKey ? 'rotateApiKey' : 'resetPassword') !== null) return null
  const change = async () => {
    // what is asked depends on who asks
    const user = session.value ?? (await readSession())
    if (user.consumerId === consumer.consumerId) return
    askFirst(
      mustSignInAgain(user)
        ? signingInAgain(credential)
        : beforeReplacing(credential, user, replacing),
    )
  }
  return (
    <Button onClick={() => void attempt(change)} look="small" name={`Replace ${credential}…`}>
      Replace…
    </Button>
  )
}

/** Whether the OpenID provider must authenticate the user again before it may replace a credential. */
function mustSignInAgain({ consumerId, repeatedUntil = '' }: SessionResponse): boolean {
  return isSubjectAccount(consumerId) && !(Date.now() < Date.parse(repeatedUntil))
}

function signingInAgain(credential: 'API key' | 'password'): Question {
  return {
    title: 'Sign in again first',
    button: 'Sign in again',
    points: [
      `To replace the ${credential} of another account, you must prove again who you are.`,
      'You come back to this page, and may replace credentials for 5 minutes.',
    ],
    onSend: async () => {
      await goToProvider(location.href, { again: true })
      return undefined
    },
  }
}

function beforeReplacing(
  credential: 'API key' | 'password',
  user: SessionResponse,
  { consumer, path, again }: Replacing,
): Question {
  return {
    title: `Replace the ${credential} of ${consumer.name}?`,
    button: `Replace 1 ${credential}`,
    isDanger: true,
    points: [
      `The present ${credential} stops working at once, and so do its tokens. Its console sessions end.`,
      `The new ${credential} is shown once, here. If no answer arrives, replace it again.`,
      irreversible,
    ],
    fields: isSubjectAccount(user.consumerId) ? [] : [ownPasswordField()],
    onSend: async ({ password }) => {
      const secret = await replace(credential, path, password === undefined ? {} : { password })
      return { next: lastSight(credential, secret, { consumer, again }) }
    },
  }
}

function ownPasswordField() {
  return (
    <Input
      name="password"
      label="Your own password"
      type="password"
      autoComplete="current-password"
      required
    />
  )
}

async function replace(
  credential: 'API key' | 'password',
  path: string,
  repeated: { password?: string },
): Promise<string> {
  if (credential === 'API key') {
    return (await ask<RotatedApiKeyResponse>('POST', `${path}/rotate-key`, repeated)).apiKey
  }
  return (await ask<ResetPasswordResponse>('POST', `${path}/reset-password`, repeated)).password
}

/**
 * The page is read again only after the dialog, so that nothing replaces the credential on the screen: it is shown only
 * once.
 */
function lastSight(
  credential: 'API key' | 'password',
  secret: string,
  { consumer, again }: Omit<Replacing, 'path'>,
): Question {
  return {
    title: `The new ${credential} of ${consumer.name}`,
    button: 'Close',
    isLastSight: true,
    points: [`Despatch cannot show it again. Hand it over safely.`],
    details: (
      <p class="secret">
        <span class="mono">{secret}</span> <CopyButton value={secret} name={credential} />
      </p>
    ),
    onSend: async () => ({
      done: `Done: the ${credential} of ${consumer.name} is replaced.`,
      again,
    }),
  }
}
