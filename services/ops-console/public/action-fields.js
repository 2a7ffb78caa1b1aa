import { element } from './dom.js'
import { field } from './frame.js'

/** Returns the fields of an action's form: what the action does, the action's own fields, and its reason. */
export function actionFields({ effect, reason }, ...own) {
  return [element('p', { class: 'prose' }, effect), ...own, reason ? reasonField(reason) : null]
}

/** Returns the field for a reason that must be given. */
export function reasonField({ member, question, shown }) {
  return field(
    question,
    element('input', { name: member, required: true, maxlength: '200' }),
    `Shown ${shown}. No personal information`,
  )
}
