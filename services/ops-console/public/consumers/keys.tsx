import type { ConsumerDetailsResponse } from '@despatch/contracts/administration/consumer'
import { AgeSince, Time } from '../parts/elements.tsx'
import { TableCard } from '../parts/table.tsx'
import { endTokensButton } from './end-tokens.tsx'
import { expiry } from './expiry.tsx'
import { replaceButton } from './replace-credential.tsx'

export type KeysProps = {
  consumer: ConsumerDetailsResponse
  path: string
  again: () => Promise<void>
}

/** The credentials of a consumer: how old they are, until when they work, and the buttons that replace them. */
export function Keys({ consumer, path, again }: KeysProps) {
  const replace = { consumer, path, again }
  const { apiKeyPrefix, apiKeyChangedAt, apiKeyExpiry } = consumer
  const { passwordChangedAt, passwordExpiry, signingSecrets } = consumer
  return (
    <TableCard
      title="Keys"
      footer="The consumer can replace each of them by its API. Signing secrets overlap, so that no callback is lost."
      columns={[
        'Key',
        { name: 'Age', class: 'num' },
        'Works until',
        { name: 'Action', class: 'act', isHidden: true },
      ]}
      rows={[
        [
          ['API key', apiKeyPrefix && <span class="sub mono">{apiKeyPrefix}…</span>],
          <AgeSince at={apiKeyChangedAt} />,
          expiry(apiKeyExpiry),
          replaceButton('API key', replace),
        ],
        [
          'Password',
          <AgeSince at={passwordChangedAt} />,
          expiry(passwordExpiry),
          replaceButton('password', replace),
        ],
        ['Tokens', null, 'an hour after each sign-in', endTokensButton(consumer, { path, again })],
        ...signingSecrets.map(({ secretId, createdAt, expiresAt }) => [
          ['Signing secret', <span class="sub mono">{secretId.slice(0, 8)}…</span>],
          <AgeSince at={createdAt} />,
          expiresAt ? <Time at={expiresAt} /> : 'it is replaced',
          null,
        ]),
      ]}
    />
  )
}
