import { addStyles } from './add-styles.ts'
import styles from './with-actions.css' with { type: 'text' }

addStyles(styles)
