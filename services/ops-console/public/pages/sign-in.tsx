import type { SignInMethodsResponse } from '@despatch/contracts/administration/session'
import { render } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask } from '../parts/api.ts'
import { attempt } from '../parts/attempt.ts'
import { fieldsOf, Input } from '../parts/form.tsx'
import { announce } from '../parts/notice.ts'
import { holdPresses } from '../parts/press.ts'
import { goToProvider, takeNext } from '../parts/provider-sign-in.ts'

const { env, simulated } = document.documentElement.dataset

function SignIn() {
  const [{ localAccounts, oidc }, setMethods] = useState<SignInMethodsResponse>({
    localAccounts: true,
  })
  useEffect(() => {
    // without an answer, the form remains, and says what is wrong when it is sent
    ask<SignInMethodsResponse>('GET', '/sign-in-methods').then(setMethods, () => undefined)
  }, [])
  return (
    <div class="ways">
      {localAccounts && <PasswordForm />}
      {oidc && <ProviderButton {...oidc} isPrimary={!localAccounts} />}
    </div>
  )
}

function PasswordForm() {
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

  return (
    <form ref={form} aria-label="Sign in" onSubmit={(event) => void submit(event)}>
      <Input
        name="userName"
        label="User name"
        autoComplete="username"
        autoCapitalize="none"
        spellcheck={false}
        required
      />
      <Input
        name="password"
        label="Password"
        type="password"
        autoComplete="current-password"
        required
      />
      <button type="submit" class="btn primary" disabled={isSending}>
        {simulated !== undefined
          ? 'Sign in'
          : env === 'uat'
            ? 'Sign in to UAT'
            : 'Sign in to production'}
      </button>
      <p class="meta">
        Sign-ins are audited. After several wrong passwords, sign-in is locked for a while.
      </p>
    </form>
  )
}

function ProviderButton({ name, isPrimary }: { name: string; isPrimary: boolean }) {
  const [isLeaving, leave] = useState(false)

  async function begin(): Promise<void> {
    announce('')
    leave(true)
    if (!(await attempt(() => goToProvider(nextPath())))) leave(false)
  }

  return (
    <button
      type="button"
      class={isPrimary ? 'btn primary' : 'btn'}
      disabled={isLeaving}
      onClick={() => void begin()}
    >
      Sign in with {name}
    </button>
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

/**
 * Finishes the sign-in with which an OpenID provider has sent the browser back. The code first leaves the address and
 * the history, so that a reload does not send it again.
 */
async function returnFromProvider(response: Record<string, string>): Promise<boolean> {
  const next = takeNext()
  history.replaceState(null, '', `/sign-in?next=${encodeURIComponent(next)}`)
  announce('Signing in …')
  return attempt(async () => {
    await ask('POST', '/oidc-sign-ins/finish', response)
    location.replace(nextPath())
  })
}

/** Returns the parameters of a response of an OpenID provider in the address of this page, if it has one. */
function findResponse(): Record<string, string> | undefined {
  const query = new URLSearchParams(location.search)
  if (!query.has('state')) return undefined
  const names = ['state', 'code', 'iss', 'error']
  return Object.fromEntries([...query].filter(([name, value]) => names.includes(name) && value))
}

holdPresses()
const response = findResponse()
if (!response || !(await returnFromProvider(response))) {
  render(<SignIn />, document.getElementById('contents')!)
}
