import type { EndedOidcSessionResponse } from '@despatch/contracts/administration/session'
import { type ComponentType, render } from 'preact'
import { ask, Refusal, setSigningOut } from './api.ts'
import { attempt } from './attempt.ts'
import { Time } from './elements.tsx'
import { count, zone } from './format.ts'
import { KeysButton, listenForKeys } from './keyboard.tsx'
import { beginLive, facts, isLive } from './live.ts'
import { announce } from './notice.ts'
import { holdPresses } from './press.ts'
import { showQuestions } from './question.tsx'
import { Search } from './search.tsx'
import { readSession, session } from './session.ts'

const place = (id: string) => document.getElementById(id)!

/** Starts a page in its frame: who is signed in, the search, the state of the system, and the page itself. */
export function start(Page: ComponentType): void {
  render(<Search />, place('search'))
  render(<Live />, place('live'))
  render(<Concerns />, place('concerns'))
  render(<Page />, place('contents'))
  render(<SignOutButton />, place('sign-out'))
  render(<KeysButton />, place('keys'))
  listenForKeys()
  holdPresses()
  showQuestions()
  beginLive()
  void attempt(showSession)
}

async function showSession(): Promise<void> {
  await readSession()
  const { userName = '', roles = [], environment } = session.value ?? {}
  if (environment && environment !== document.documentElement.dataset.env) {
    announce(
      `This console is set up for another environment: letters are those of ${environment}.`,
      {
        isRefusal: true,
      },
    )
  }
  place('who').textContent = userName
  place('roles').textContent = roles.join(', ')
}

function SignOutButton() {
  return (
    <button type="button" class="linkish" onClick={() => void signOut()}>
      Sign out
    </button>
  )
}

/**
 * Leaves only when the session has ended: the next person at this browser would otherwise be signed in. If an OpenID
 * provider has a session too, leads to the page that ends it.
 */
async function signOut(): Promise<void> {
  let next = '/sign-in'
  setSigningOut(true)
  try {
    const ended = await ask<EndedOidcSessionResponse | undefined>('DELETE', '/sessions')
    if (ended) next = ended.endSessionUrl
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal
    if (refusal.status !== 401) {
      setSigningOut(false)
      announce(`You are still signed in. ${refusal.message} Try again.`, { isRefusal: true })
      return
    }
  }
  location.assign(next)
}

function Live() {
  const { at } = facts.value ?? {}
  const text = !at ? 'Connecting …' : isLive.value ? 'Live · ' : 'Out of date since '
  return (
    <span class={!at ? 'live waits' : isLive.value ? 'live' : 'live stale'}>
      <span class="dot" />
      <span>
        {text}
        {at && (
          <>
            <Time at={at} style="clock" /> {zone(at)}
          </>
        )}
      </span>
    </span>
  )
}

/** The number of concerns, beside the link to Now. */
function Concerns() {
  const number = facts.value?.concerns?.length ?? 0
  if (number === 0) return null
  return (
    <span class="n alert">
      {count(number)}
      <span class="vh"> need a look</span>
    </span>
  )
}
