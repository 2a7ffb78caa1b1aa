import { ask } from './api.js'
import { announce, contents, element } from './dom.js'
import { field, form } from './frame.js'

const userName = element('input', {
  name: 'userName',
  autocomplete: 'username',
  autocapitalize: 'none',
  spellcheck: 'false',
  required: true,
})
const password = element('input', {
  name: 'password',
  type: 'password',
  autocomplete: 'current-password',
  required: true,
})

contents().append(
  form({
    label: 'Sign in',
    fields: [field('User name', userName), field('Password', password)],
    button: 'Sign in',
    onsend: async (given) => {
      announce('')
      try {
        await ask('POST', '/sessions', given)
      } catch (refusal) {
        password.value = ''
        throw refusal
      }
      location.assign(nextPath())
    },
  }),
)
userName.focus()

/** Returns the address that the reader wanted, with its query and fragment. Other origins are ignored. */
function nextPath() {
  const next = new URLSearchParams(location.search).get('next') ?? '/'
  const target = URL.canParse(next, location.origin) && new URL(next, location.origin)
  if (!target || target.origin !== location.origin) return '/'
  // a fragment never reaches the server; the browser carries it through the redirect to this page
  target.hash ||= location.hash
  return target.href
}
