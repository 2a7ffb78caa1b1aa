import type { ConsumerDetailsResponse } from '@despatch/contracts/administration/consumer'
import { ask } from '../parts/api.ts'
import { Button } from '../parts/elements.tsx'
import { askFirst, irreversible } from '../parts/question.tsx'
import { whyNotForMe } from '../parts/session.ts'

/** Returns the button that ends the tokens of a consumer; null if the user may not. */
export function endTokensButton(
  { name }: ConsumerDetailsResponse,
  { path, again }: { path: string; again: () => Promise<void> },
) {
  if (whyNotForMe('endTokens') !== null) return null
  const end = () =>
    askFirst({
      title: `End all tokens of ${name}?`,
      button: 'End all tokens',
      isDanger: true,
      points: [
        'Its tokens are refused within a second, and its console sessions end. Its password and API key keep working.',
        'A client that signs in again only when its token expires fails for up to an hour.',
        irreversible,
      ],
      onSend: async () => {
        await ask('POST', `${path}/end-tokens`)
        return { done: `Done: the tokens of ${name} are ended.`, again }
      },
    })
  return (
    <Button onClick={end} look="small" name="End all tokens…">
      End…
    </Button>
  )
}
