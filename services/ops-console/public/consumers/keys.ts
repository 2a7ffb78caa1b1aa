import type { ConsumerDetailsResponse } from '@despatch/contracts/administration/consumer'
import { h, type JSX } from 'preact'
import { ageSince, card, time } from '../parts/elements.ts'
import { table } from '../parts/table.ts'
import { expiry } from './expiry.ts'

/** Returns the credentials of a consumer: how old they are, and until when they work. */
export function keysCard(consumer: ConsumerDetailsResponse): JSX.Element {
  const { apiKeyPrefix, apiKeyChangedAt, apiKeyExpiry } = consumer
  const { passwordChangedAt, passwordExpiry, signingSecrets } = consumer
  return card(
    {
      title: 'Keys',
      footer:
        'An admin replaces them with npx despatch consumers rotate-key and reset-password; the consumer, by its API.',
    },
    table({
      caption: 'Keys',
      columns: ['Key', { name: 'Age', class: 'num' }, 'Works until'],
      rows: [
        [
          ['API key', apiKeyPrefix && h('span', { class: 'sub mono' }, `${apiKeyPrefix}…`)],
          ageSince(apiKeyChangedAt),
          expiry(apiKeyExpiry),
        ],
        ['Password', ageSince(passwordChangedAt), expiry(passwordExpiry)],
        ...signingSecrets.map(({ secretId, createdAt, expiresAt }) => [
          ['Signing secret', h('span', { class: 'sub mono' }, `${secretId.slice(0, 8)}…`)],
          ageSince(createdAt),
          expiresAt ? time(expiresAt) : 'it is replaced',
        ]),
      ],
    }),
  )
}
