import { ask, leadToSignIn, Refusal } from './api.js'
import { element, tell } from './dom.js'

/** Shows who has signed in, lets them sign out, and begins the page with the session; what it refuses is told. */
export async function begin(page) {
  document.getElementById('sign-out').addEventListener('click', async () => {
    await ask('DELETE', '/sessions').catch(() => {})
    location.assign('/sign-in')
  })
  let session
  try {
    session = await ask('GET', '/sessions')
    document.getElementById('who').textContent = session.userName
  } catch (refusal) {
    if (refusal.status === 401) return leadToSignIn()
  }
  await attempt(() => page(session))
}

/** Does something and tells the reader what refused it, if anything did. True: it was done. */
export async function attempt(action) {
  try {
    await action()
    return true
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal
    tell(refusal.message, { isRefusal: true })
    return false
  }
}

/** A labelled field of a form. */
export function field(label, control, hint) {
  return element(
    'label',
    {},
    element('span', {}, label),
    control,
    hint && element('small', {}, hint),
  )
}

/** A choice, with `all` for none. */
export function choice(name, options, all = 'All') {
  return element(
    'select',
    { name },
    element('option', { value: '' }, all),
    options.map((option) => element('option', { value: option }, option)),
  )
}

/**
 * A form whose fields are handed over by name when it is sent. Meanwhile its button rests, and gets focus back afterwards; if
 * it is gone by then, the contents do.
 */
export function form({ label, onsend, fields, button, isDanger = false }) {
  const send = element('button', { type: 'submit', class: isDanger ? 'danger' : null }, button)
  return element(
    'form',
    {
      'aria-label': label,
      onsubmit: async (event) => {
        event.preventDefault()
        send.disabled = true
        const given = Object.fromEntries(new FormData(event.target))
        await attempt(() => onsend(given))
        send.disabled = false
        if (send.isConnected) send.focus()
        else document.getElementById('main').focus()
      },
    },
    fields,
    send,
  )
}
