import { useEffect } from 'preact/hooks'
import { navAddress } from '../../components/rail.tsx'
import { useUnreadCount } from '../../data/comments.ts'
import { unreadCount } from '../../data/pending.ts'
import { addStyles } from '../../styles/add-styles.ts'
import styles from '../../styles/inbox-badge.css' with { type: 'text' }

addStyles(styles)

/**
 * Shows the number of unread comments at the links to the inbox, on phones at "More", and on the icon of the installed
 * application. The rail is drawn before this code is loaded.
 */
export function useUnreadBadge(): void {
  const unread = useUnreadCount()
  useEffect(() => {
    const links = document.querySelectorAll<HTMLElement>(
      `:is(.rail-nav, #more) a[href="${navAddress({ name: 'inbox' })}"], .rail-nav [popovertarget=more]`,
    )
    for (const link of links) {
      link.toggleAttribute('data-unread', unread > 0)
      if (unread > 0) link.dataset.unread = unread > 99 ? '99+' : String(unread)
      const name = link.textContent ?? ''
      if (unread > 0) link.setAttribute('aria-label', `${name}, ${unread} unread`)
      else link.removeAttribute('aria-label')
    }
    unreadCount.value = unread
  }, [unread])
  // The number is not left to the next user.
  useEffect(
    () => () => {
      unreadCount.value = 0
    },
    [],
  )
}
