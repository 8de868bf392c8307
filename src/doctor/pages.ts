/** What is asked for seldom: one chunk, loaded with the first page. */
export { copyReport, examine } from './doctor.ts';
export { DoctorPage } from './doctorPage.ts';
export { reportFailedStart } from './failedStart.ts';
export { describeMessages } from './inspector.ts';
