import type {
  ConsumerDetailsResponse,
  ResetPasswordResponse,
  RotatedApiKeyResponse,
} from '@despatch/contracts/administration/consumer'
import { noCredentialDay } from '@despatch/domain/access/no-credential'
import { h, type JSX } from 'preact'
import { ask } from '../parts/api.ts'
import { button, copyButton } from '../parts/elements.ts'
import { askFirst, irreversible, type Question } from '../parts/question.ts'
import { session, whyNotForMe } from '../parts/session.ts'

type Replacing = {
  consumer: ConsumerDetailsResponse
  path: string
  again: () => Promise<void>
}

/**
 * Returns the button that replaces a credential of a consumer. Null if the user may not, for an account without the
 * credential, and for the operator's own account, whose session would end before the new credential is shown.
 */
export function replaceButton(
  credential: 'API key' | 'password',
  replacing: Replacing,
): JSX.Element | null {
  const { consumer } = replacing
  const isKey = credential === 'API key'
  const day = isKey ? consumer.apiKeyExpiry : consumer.passwordExpiry
  if (day === noCredentialDay || consumer.consumerId === session.value?.consumerId) return null
  if (whyNotForMe(isKey ? 'rotateApiKey' : 'resetPassword') !== null) return null
  const change = () => askFirst(beforeReplacing(credential, replacing))
  return button('Replace…', change, { look: 'small', name: `Replace ${credential}…` })
}

function beforeReplacing(
  credential: 'API key' | 'password',
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
    onSend: async () => {
      const secret = await replace(credential, path)
      return { next: lastSight(credential, secret, { consumer, again }) }
    },
  }
}

async function replace(credential: 'API key' | 'password', path: string): Promise<string> {
  if (credential === 'API key') {
    return (await ask<RotatedApiKeyResponse>('POST', `${path}/rotate-key`)).apiKey
  }
  return (await ask<ResetPasswordResponse>('POST', `${path}/reset-password`)).password
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
    details: h(
      'p',
      { class: 'secret' },
      h('span', { class: 'mono' }, secret),
      ' ',
      copyButton(secret, credential),
    ),
    onSend: async () => ({
      done: `Done: the ${credential} of ${consumer.name} is replaced.`,
      again,
    }),
  }
}
