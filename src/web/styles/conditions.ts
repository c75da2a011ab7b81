import { addStyles } from './add-styles.ts'
import styles from './conditions.css' with { type: 'text' }

addStyles(styles)
