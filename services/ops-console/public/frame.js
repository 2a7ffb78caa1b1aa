import { ask, leadToSignIn, Refusal } from './api.js'
import { announce, element } from './dom.js'
import { operationRoles, whyNotPermitted } from './domain.js'

/** The signed-in user. Absent until the session has been read, and if it cannot be read. */
let session

/**
 * Shows who is signed in, adds the sign-out button, and starts the page with the session. Shows a Refusal as a message.
 */
export async function begin(page) {
  document.getElementById('sign-out').addEventListener('click', async () => {
    await ask('DELETE', '/sessions').catch(() => {})
    location.assign('/sign-in')
  })
  try {
    session = await ask('GET', '/sessions')
    document.getElementById('who').textContent = session.userName
  } catch (refusal) {
    if (refusal.status === 401) return leadToSignIn()
  }
  await attempt(() => page(session))
}

/** Runs an action, and shows a Refusal as a message. Returns whether the action succeeded. */
export async function attempt(action) {
  try {
    await action()
    return true
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal
    announce(refusal.message, { isRefusal: true })
    return false
  }
}

/** Returns a labelled field of a form. */
export function field(label, control, hint) {
  return element(
    'label',
    {},
    element('span', {}, label),
    control,
    hint && element('small', {}, hint),
  )
}

/** Returns a labelled checkbox, whose value is `true`. */
export function check(name, label, properties = {}) {
  return element(
    'label',
    { class: 'check' },
    element('input', { type: 'checkbox', name, value: 'true', ...properties }),
    label,
  )
}

/** Returns the ids in the text of a field, each once. */
export function idsIn(text) {
  return [...new Set(text.split(/[\s,]+/).filter(Boolean))]
}

/** Returns a selection, in which `all` stands for no choice. */
export function choice(name, options, all = 'All') {
  return element(
    'select',
    { name },
    element('option', { value: '' }, all),
    options.map((option) => element('option', { value: option }, option)),
  )
}

/** Returns why the signed-in user may not use an operation; null if it may, or if nothing is known about the user. */
export function whyNotForMe({ operationId }) {
  return session ? whyNotPermitted(operationRoles[operationId], session) : null
}

/**
 * Returns a form that passes its fields by name to `onsend`. Its button is disabled meanwhile and then gets focus back;
 * if the button is gone by then, the main element gets focus. If the signed-in user may not use the form's action, it
 * returns a paragraph that names the required role.
 */
export function form({ label, onsend, fields, button, action, isDanger = false }) {
  const whyNot = action && whyNotForMe(action)
  if (whyNot) return element('p', { class: 'note' }, element('strong', {}, label), `: ${whyNot}`)
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
