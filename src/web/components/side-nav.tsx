import type { ComponentChildren } from 'preact'
import styles from '../styles/side-nav.css' with { type: 'text' }
import { addStyles } from './styles.ts'

addStyles(styles)

interface SideNavProps {
  readonly label: string
  /** Links, each in an item, under headings. */
  readonly children: ComponentChildren
}

/** The parts of one screen: a column beside its content, and where there is no room a line above it. */
export const SideNav = ({ label, children }: SideNavProps) => (
  <nav class="side-nav" aria-label={label}>
    {children}
  </nav>
)
