import { h, type JSX, render } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask } from '../parts/api.ts'
import { attempt } from '../parts/attempt.ts'
import { fieldsOf, input } from '../parts/form.ts'
import { announce } from '../parts/notice.ts'

const isUat = document.documentElement.dataset.env === 'uat'

function SignIn(): JSX.Element {
  const form = useRef<HTMLFormElement>(null)
  const [isSending, send] = useState(false)
  useEffect(() => form.current?.querySelector('input')?.focus(), [])

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    announce('')
    send(true)
    const isSignedIn = await attempt(() => ask('POST', '/sessions', fieldsOf(form.current!)))
    send(false)
    if (isSignedIn) return location.assign(nextPath())
    const password = form.current!.querySelector<HTMLInputElement>('[type=password]')!
    password.value = ''
    password.focus()
  }

  return h(
    'form',
    { ref: form, 'aria-label': 'Sign in', onSubmit: (event: SubmitEvent) => void submit(event) },
    input('userName', 'User name', {
      autoComplete: 'username',
      autoCapitalize: 'none',
      spellcheck: false,
      required: true,
    }),
    input('password', 'Password', {
      type: 'password',
      autoComplete: 'current-password',
      required: true,
    }),
    h(
      'button',
      { type: 'submit', class: 'btn primary', disabled: isSending },
      isUat ? 'Sign in to UAT' : 'Sign in to production',
    ),
    h(
      'p',
      { class: 'meta' },
      'Sign-ins are audited. After several wrong passwords, sign-in is locked for a while.',
    ),
  )
}

/** Returns the address that the reader wanted, with its query and fragment. Other origins are ignored. */
function nextPath(): string {
  const next = new URLSearchParams(location.search).get('next') ?? '/'
  const target = URL.canParse(next, location.origin) && new URL(next, location.origin)
  if (!target || target.origin !== location.origin) return '/'
  // a fragment never reaches the server; the browser carries it through the redirect to this page
  target.hash ||= location.hash
  return target.href
}

render(h(SignIn, {}), document.getElementById('contents')!)
