import { reasonField } from './action-fields.js'
import { ask, withQuery } from './api.js'
import { element } from './dom.js'
import { bulkActionKinds, printJobActions, reasonOfMany } from './domain.js'
import { count } from './format.js'
import { field, form } from './frame.js'

const printJobsMax = 1_000

/**
 * Creates a selection of print jobs from the pages of a search, to plan a bulk action on exactly those. `boxFor`
 * returns the check box of one print job, `controls` the element below the boxes of a page.
 */
export function createSelection() {
  const selected = new Set()
  let boxes = []
  const selection = element('p', { 'aria-live': 'polite' })
  const plan = element('div', {})

  function choose(key, isSelected) {
    if (isSelected) selected.add(key)
    else selected.delete(key)
  }

  function refresh() {
    const tooMany = selected.size > printJobsMax ? ` At most ${count(printJobsMax)} at once.` : ''
    selection.textContent = `Selected: ${count(selected.size)}.${tooMany}`
    plan.hidden = selected.size === 0
  }

  function all(isSelected) {
    for (const box of boxes) {
      box.checked = isSelected
      choose(box.value, isSelected)
    }
    refresh()
  }

  plan.append(
    element('p', { class: 'note' }, 'Nothing happens until the plan is confirmed.'),
    form({
      action: { operationId: 'planBulkAction' },
      label: 'Plan a bulk action',
      button: 'Plan bulk action…',
      fields: [
        field(
          'Action',
          element(
            'select',
            { name: 'action', required: true },
            bulkActionKinds.map((value) =>
              element('option', { value }, printJobActions[value].label),
            ),
          ),
        ),
        reasonField(reasonOfMany),
      ],
      onsend: async ({ action, reason }) => {
        const printJobKeys = [...selected]
        const planned = await ask('POST', '/bulk-actions', { action, reason, printJobKeys })
        location.assign(withQuery('/bulk-actions', { bulk: planned.bulkActionId }))
      },
    }),
  )

  return {
    /** Call it for another search: clears the selection. */
    clear() {
      selected.clear()
    },
    /** Call it for another page: its boxes are created again. */
    beginPage() {
      boxes = []
    },
    boxFor({ printJobKey, id }) {
      const box = element('input', {
        type: 'checkbox',
        value: printJobKey,
        checked: selected.has(printJobKey),
        'aria-label': `Select print job ${id}`,
        onchange: () => {
          choose(printJobKey, box.checked)
          refresh()
        },
      })
      boxes.push(box)
      return box
    },
    controls() {
      refresh()
      if (boxes.length === 0 && selected.size === 0) return []
      return [
        element(
          'section',
          { class: 'card', 'aria-labelledby': 'selection' },
          element('h2', { id: 'selection' }, 'Bulk action'),
          element('button', { type: 'button', onclick: () => all(true) }, 'Select all shown'),
          ' ',
          element(
            'button',
            {
              type: 'button',
              onclick: () => {
                selected.clear()
                all(false)
              },
            },
            'Select none',
          ),
          selection,
          plan,
        ),
      ]
    },
  }
}
