import type { ConsumerDetailsResponse } from '@despatch/contracts/administration/consumer'
import { h, type JSX } from 'preact'
import { ageSince, card, time } from '../parts/elements.ts'
import { table } from '../parts/table.ts'
import { endTokensButton } from './end-tokens.ts'
import { expiry } from './expiry.ts'
import { replaceButton } from './replace-credential.ts'

/** Returns the credentials of a consumer: how old they are, until when they work, and the buttons that replace them. */
export function keysCard(
  consumer: ConsumerDetailsResponse,
  { path, again }: { path: string; again: () => Promise<void> },
): JSX.Element {
  const replace = { consumer, path, again }
  const { apiKeyPrefix, apiKeyChangedAt, apiKeyExpiry } = consumer
  const { passwordChangedAt, passwordExpiry, signingSecrets } = consumer
  return card(
    {
      title: 'Keys',
      footer:
        'The consumer can replace each of them by its API. Signing secrets overlap, so that no callback is lost.',
    },
    table({
      caption: 'Keys',
      columns: [
        'Key',
        { name: 'Age', class: 'num' },
        'Works until',
        { name: 'Action', class: 'act', isHidden: true },
      ],
      rows: [
        [
          ['API key', apiKeyPrefix && h('span', { class: 'sub mono' }, `${apiKeyPrefix}…`)],
          ageSince(apiKeyChangedAt),
          expiry(apiKeyExpiry),
          replaceButton('API key', replace),
        ],
        [
          'Password',
          ageSince(passwordChangedAt),
          expiry(passwordExpiry),
          replaceButton('password', replace),
        ],
        ['Tokens', null, 'an hour after each sign-in', endTokensButton(consumer, { path, again })],
        ...signingSecrets.map(({ secretId, createdAt, expiresAt }) => [
          ['Signing secret', h('span', { class: 'sub mono' }, `${secretId.slice(0, 8)}…`)],
          ageSince(createdAt),
          expiresAt ? time(expiresAt) : 'it is replaced',
          null,
        ]),
      ],
    }),
  )
}
