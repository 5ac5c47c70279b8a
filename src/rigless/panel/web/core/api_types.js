// The types of the API, made by scripts/build-api-types from the models in Python. Do not
// edit.

/**
 * Run an action of their pages on these robots.
 * @typedef {object} ActMany
 * @property {string[]} robots
 * @property {string} name
 */
/**
 * A condition that stops a robot, and what ends it.
 * @typedef {object} AlarmText
 * @property {string} text
 * @property {string} fix
 */
/**
 * The objects on the map of a world.
 * @typedef {object} AroundMessage
 * @property {"around"} type
 * @property {"live"|"recording"|"second"} stage
 * @property {number} world
 * @property {MapObject[]} things
 */
/**
 * Forbid a zone to the AGVs of its world, or allow it again.
 * @typedef {object} BlockZone
 * @property {string} name
 * @property {boolean} on
 */
/**
 * Clear the faults of these robots.
 * @typedef {object} ClearMany
 * @property {string[]} robots
 */
/**
 * @typedef {LookMessage|DriveMessage|JogMessage|WireLookMessage|PlotMessage|
 *   FleetLookMessage} ClientMessage
 */
/**
 * Two records of one topic side by side; `different` names the fields that differ.
 * @typedef {object} ComparedRecord
 * @property {number|null} left_s
 * @property {number|null} right_s
 * @property {Record<string, string>} left
 * @property {Record<string, string>} right
 * @property {string[]} different
 */
/**
 * The first difference between two recordings; `rows[first]` is the record that differs.
 * @typedef {object} ComparedRecordings
 * @property {boolean} equal
 * @property {number} records
 * @property {string} text
 * @property {string} topic
 * @property {number} time_s
 * @property {string} field_name
 * @property {ComparedRecord[]} rows
 * @property {number} first
 */
/**
 * A door, a lift or a conveyor as it is now. `open` is that of a door, `floor` and `floors` are
 * those of a lift (no `floor` while it moves, `user` is the robot that it waits for or carries),
 * `loads` are on the belt.
 * @typedef {object} Device
 * @property {string} name
 * @property {"door"|"lift"|"conveyor"} kind
 * @property {string} state
 * @property {boolean} running
 * @property {boolean|null} open
 * @property {string|null} floor
 * @property {string[]} floors
 * @property {string} user
 * @property {number} loads
 */
/**
 * The robots on which it was done, and the others.
 * @typedef {object} DoneOnMany
 * @property {string[]} done
 * @property {FailedRobot[]} failed
 */
/**
 * Draw a zone: a rectangle (`x` and `y` from, to) or a circle. One of its name is replaced.
 * @typedef {object} DrawZone
 * @property {string} [name]
 * @property {string} [robot]
 * @property {[number, number]|null} [x]
 * @property {[number, number]|null} [y]
 * @property {[number, number]|null} [center]
 * @property {number|null} [radius_m]
 */
/**
 * Drive a robot: forward, left and turn, each −1 to 1.
 * @typedef {object} DriveMessage
 * @property {"drive"} type
 * @property {string} robot
 * @property {[number, number, number]} axes
 */
/**
 * The number of dropped events: the client did not read, or there were too many.
 * @typedef {object} DroppedMessage
 * @property {"dropped"} type
 * @property {number} count
 */
/**
 * Set (`on`) or release the emergency stop of one robot, or of all.
 * @typedef {object} EmergencyStop
 * @property {boolean} [on]
 * @property {string} [robot]
 */
/**
 * A message from the client could not be carried out.
 * @typedef {object} ErrorMessage
 * @property {"error"} type
 * @property {ProblemEntry[]} problems
 */
/**
 * An event of the run. `robot` is empty for events of the simulation itself.
 * @typedef {object} EventEntry
 * @property {number} time_ns
 * @property {string} robot
 * @property {string} code
 * @property {"debug"|"info"|"warning"|"error"|"critical"} severity
 * @property {string} text
 * @property {Record<string, any>} data
 */
/**
 * A warning, an error or a collision.
 * @typedef {object} EventMark
 * @property {number} time_s
 * @property {string} robot
 * @property {"debug"|"info"|"warning"|"error"|"critical"} severity
 * @property {string} code
 * @property {string} text
 * @property {boolean} collision
 */
/**
 * An event of the run, as it happens.
 * @typedef {object} EventMessage
 * @property {"event"} type
 * @property {number} time_s
 * @property {string} robot
 * @property {string} code
 * @property {"debug"|"info"|"warning"|"error"|"critical"} severity
 * @property {string} text
 * @property {Record<string, any>} data
 */
/**
 * An expectation of the scenario, and what was seen.
 * @typedef {object} ExpectationResult
 * @property {string} text
 * @property {boolean} passed
 * @property {string} detail
 * @property {string} place
 */
/**
 * A robot on which it could not be done, and the reason.
 * @typedef {object} FailedRobot
 * @property {string} robot
 * @property {string} problem
 */
/**
 * The time of a fault; `end_s` is null if it is active. Faults of programs have no robot.
 * @typedef {object} FaultBand
 * @property {string} robot
 * @property {string} target
 * @property {string} kind
 * @property {number} begin_s
 * @property {number|null} end_s
 */
/**
 * A parameter of a fault: a number with bounds (null: none), or a text with choices.
 * @typedef {object} FaultParam
 * @property {number|string} default
 * @property {number|null} low
 * @property {number|null} high
 * @property {string[]} choices
 */
/**
 * An active fault.
 * @typedef {object} FaultStatus
 * @property {number} id
 * @property {string} robot
 * @property {string} target
 * @property {string} kind
 * @property {string} seam
 * @property {Record<string, any>} params
 * @property {number} since_ns
 * @property {number|null} until_ns
 * @property {Record<string, any>} memory
 */
/**
 * The file of a recording that was stopped.
 * @typedef {object} FinishedRecording
 * @property {string} file
 */
/**
 * Subscribe to all robots of a stage: pictures per second; 0 ends it.
 * @typedef {object} FleetLookMessage
 * @property {"fleet"} type
 * @property {0|5|10|20|30} [hz]
 * @property {string} [stage]
 */
/**
 * The lines that have changed; all of them if `first` is set. `number` is that of the list of
 * robots, as in the binary blocks. `asked_hz` is the number of pictures per second of the
 * subscription, `hz` the number that the server allows itself, as one takes `cost_ms`, and
 * `sent_hz` the number that it manages.
 * @typedef {object} FleetMessage
 * @property {"fleet"} type
 * @property {"live"|"recording"} stage
 * @property {number} number
 * @property {boolean} first
 * @property {number} total
 * @property {FleetRow[]} rows
 * @property {number} hz
 * @property {number} asked_hz
 * @property {number} sent_hz
 * @property {number} cost_ms
 */
/**
 * The words in a robot's line. `n` is its place in the binary blocks. `stop` is the state of its
 * emergency stop, null if it has none. `error` is its alarm, or the reason why its view fails.
 * `faults` is the number of injected faults.
 * @typedef {object} FleetRow
 * @property {number} n
 * @property {string} name
 * @property {string} kind
 * @property {number} world
 * @property {string} status
 * @property {boolean|null} stop
 * @property {string} task
 * @property {string} error
 * @property {number} faults
 */
/**
 * A place to go to, with a heading if `theta_rad` is given. With `nearest`, a place that cannot be
 * reached is replaced by the nearest one that can.
 * @typedef {object} GiveGoal
 * @property {number} x_m
 * @property {number} y_m
 * @property {number|null} [theta_rad]
 * @property {boolean} [nearest]
 */
/**
 * The goal of a robot. `route` leads from its place at the start to the goal. `text` says what
 * happens, or why it does not. `client` is the driver's end of the connection.
 * @typedef {object} GoalStatus
 * @property {"idle"|"starting"|"driving"|"blocked"|"arrived"|"stopped"|"failed"} state
 * @property {string} text
 * @property {number} x_m
 * @property {number} y_m
 * @property {number|null} theta_rad
 * @property {[number, number][]} route
 * @property {string} client
 */
/**
 * Size and place of a map. Its origin is x, y and yaw of the lower left corner.
 * @typedef {object} GridInfo
 * @property {number} width
 * @property {number} height
 * @property {number} resolution_m
 * @property {[number, number, number]} origin
 * @property {number} wall_m
 * @property {LayoutPicture|null} layout
 */
/**
 * A fault to inject, for ever or for a time.
 * @typedef {object} InjectFault
 * @property {string} robot
 * @property {string} target
 * @property {string} [kind]
 * @property {Record<string, any>} [params]
 * @property {number|null} [for_s]
 */
/**
 * Inject a fault into these robots, for ever or for a time.
 * @typedef {object} InjectMany
 * @property {string[]} robots
 * @property {string} target
 * @property {string} [kind]
 * @property {Record<string, any>} [params]
 * @property {number|null} [for_s]
 */
/**
 * An input that a robot declares. The host sets those with `by_host`. A number may have bounds
 * (null: none), a text choices (none: any text).
 * @typedef {object} InputInfo
 * @property {boolean|number|string} default
 * @property {string} help
 * @property {string} label
 * @property {boolean} by_host
 * @property {number|null} low
 * @property {number|null} high
 * @property {string[]} choices
 */
/**
 * Move an axis by a step, or with `hold` in the direction of `by` until it is 0.
 * @typedef {object} JogMessage
 * @property {"jog"} type
 * @property {string} robot
 * @property {number} [axis]
 * @property {number} [by]
 * @property {number} [speed]
 * @property {boolean} [hold]
 */
/**
 * Lines from node to node of a layout, in this direction or in both.
 * @typedef {object} Lane
 * @property {[number, number][]} points
 * @property {boolean} both
 */
/**
 * The layout of a warehouse: its lanes, conveyor belts and places.
 * @typedef {object} LayoutPicture
 * @property {Lane[]} lanes
 * @property {[number, number][][]} belts
 * @property {LayoutPlace[]} places
 */
/**
 * A place of a layout: x, y and heading of a robot, or of the table of a station.
 * @typedef {object} LayoutPlace
 * @property {string} id
 * @property {"parking"|"charger"|"station"|"lift"} kind
 * @property {[number, number, number]} pose
 */
/**
 * Make a link to a recording.
 * @typedef {object} LinkRecording
 * @property {string} file
 */
/**
 * The lines of a listing. `first` is the number of the first line in `texts`.
 * @typedef {object} ListingLines
 * @property {number} first
 * @property {string[]} texts
 * @property {number} current
 * @property {number} read
 * @property {number[]} wrong
 */
/**
 * The listings of a robot's page, when they have changed.
 * @typedef {object} ListingsMessage
 * @property {"listings"} type
 * @property {"live"|"recording"|"second"} stage
 * @property {string} robot
 * @property {Record<string, ListingLines>} listings
 */
/**
 * A live robot. `stop` is the state of its emergency stop, null if it has none.
 * @typedef {object} LiveRobotSummary
 * @property {string} name
 * @property {string} kind
 * @property {number} world
 * @property {string} status
 * @property {boolean|null} stop
 * @property {AlarmText|null} alarm
 */
/**
 * A program file: its name and its text.
 * @typedef {object} LoadProgram
 * @property {string} name
 * @property {string} text
 */
/**
 * Subscribe to frames: robot → frames per second. `stage` is `live` or `recording`.
 * @typedef {object} LookMessage
 * @property {"look"} type
 * @property {Record<string, 5|10|20|30|60>} robots
 * @property {string} [stage]
 */
/**
 * A robot or an obstacle on the map: a disc, or a box if it has a size.
 * @typedef {object} MapObject
 * @property {string} name
 * @property {boolean} robot
 * @property {string} status
 * @property {number} radius_m
 * @property {[number, number]|null} size_m
 * @property {[number, number, number]} pose
 */
/**
 * Counters of the run, of the ports (`dropped`, by ROBOT/PORT) and of the robots.
 * @typedef {object} Metrics
 * @property {number} time_s
 * @property {number} events_processed
 * @property {number} recorded_messages
 * @property {Record<string, number>} dropped
 * @property {Record<string, Record<string, any>>} robots
 */
/**
 * Set a slider on a robot's page.
 * @typedef {object} MoveSlider
 * @property {string} name
 * @property {number} value
 */
/**
 * A recording that was uploaded or cut out. `missing` is the part that is missing, if any.
 * @typedef {object} NewRecording
 * @property {string} name
 * @property {string} path
 * @property {number} records
 * @property {number} begin_s
 * @property {number} end_s
 * @property {string} missing
 */
/**
 * The player with a recording, the robots in it, and the recording next to it.
 * @typedef {object} OpenPlayer
 * @property {string|null} file
 * @property {number} time_s
 * @property {number} begin_s
 * @property {number} end_s
 * @property {boolean} cut
 * @property {string} note
 * @property {string} failure
 * @property {boolean} playing
 * @property {number|"fast"} speed
 * @property {number|null} seeking
 * @property {number} events
 * @property {RobotSummary[]} robots
 * @property {OpenSecond|null} second
 */
/**
 * Open a recording in the player: one of the list, by its name or its path.
 * @typedef {object} OpenRecording
 * @property {string} file
 */
/**
 * The second recording of a comparison, and the robots in it.
 * @typedef {object} OpenSecond
 * @property {string|null} file
 * @property {number} time_s
 * @property {number} begin_s
 * @property {number} end_s
 * @property {boolean} cut
 * @property {string} note
 * @property {string} failure
 * @property {boolean} level
 * @property {RobotSummary[]} robots
 */
/**
 * The result of a scenario whose duration is over.
 * @typedef {object} OutcomeStatus
 * @property {number} time_s
 * @property {string} text
 * @property {boolean} passed
 * @property {ExpectationResult[]} expectations
 */
/**
 * A robot's page: its parts, and the names of the numbers and trails in its frames.
 * @typedef {object} Page
 * @property {"page"} type
 * @property {"live"|"recording"|"second"} stage
 * @property {string} robot
 * @property {number} id
 * @property {string} kind
 * @property {string} about
 * @property {PagePart[]} parts
 * @property {string[]} measures
 * @property {string[]} traces
 */
/**
 * A part of a robot's page. `columns` is the number of values in a row of its drawing.
 * @typedef {object} PagePart
 * @property {"Disc"|"Polygon"|"Rays"|"Points"|"Path"|"Ellipse"|"Links"|"Scene"|"Curve"|"Cloud"|
 *   "Axes"|"Trail"|"Gauge"|"Word"|"Lamp"|"Plot"|"Switch"|"Button"|"Action"|"Hint"|"Compose"|
 *   "Drive"|"Slider"|"Jog"|"Listing"} kind
 * @property {number} columns
 * @property {string} name
 * @property {string} label
 * @property {string} group
 * @property {boolean} shown
 * @property {number|null} [radius_m]
 * @property {string} [colour]
 * @property {string[]|("plain"|"accent"|"sense"|"path"|"ghost"|"ok"|"warn"|"bad")[]} [tones]
 * @property {number|null} [height_m]
 * @property {boolean} [heading]
 * @property {[number, number][]} [points]
 * @property {boolean} [fan]
 * @property {Solid[][]} [links]
 * @property {"solid"|"ghost"|"wire"} [style]
 * @property {Solid[]} [solids]
 * @property {string[]} [ramp]
 * @property {number|null} [width_px]
 * @property {number|null} [size_m]
 * @property {number|null} [length_m]
 * @property {number|null} [width_m]
 * @property {string} [unit]
 * @property {number|null} [low]
 * @property {number|null} [high]
 * @property {number} [digits]
 * @property {([string, "plain"|"accent"|"sense"|"path"|"ghost"|"ok"|"warn"|"bad"])[]} [words]
 * @property {string} [short]
 * @property {[string, string][]} [lines]
 * @property {boolean|number|null} [pressed]
 * @property {boolean|number|null} [released]
 * @property {string} [action]
 * @property {string} [button]
 * @property {string} [port]
 * @property {string[]} [types]
 * @property {("forward"|"left"|"turn")[]|[string, string, string][]} [axes]
 * @property {number|null} [step]
 * @property {number|null} [normal]
 * @property {number[]} [stops]
 * @property {number[]} [steps]
 * @property {number[]} [speeds]
 * @property {string[]} [sets]
 * @property {string} [empty]
 * @property {boolean} [wrap]
 */
/**
 * The pose of an obstacle or a robot that was placed.
 * @typedef {object} Placed
 * @property {string} name
 * @property {number} x_m
 * @property {number} y_m
 * @property {number} theta_rad
 */
/**
 * Play at a factor of real time, or "fast".
 * @typedef {object} PlayRecording
 * @property {number|string} [speed]
 */
/**
 * State of the player. `seeking` is the progress of a seek from 0 to 1, or null.
 * @typedef {object} PlayerStatus
 * @property {string|null} file
 * @property {number} time_s
 * @property {number} begin_s
 * @property {number} end_s
 * @property {boolean} cut
 * @property {string} note
 * @property {string} failure
 * @property {boolean} playing
 * @property {number|"fast"} speed
 * @property {number|null} seeking
 * @property {number} events
 */
/**
 * Subscribe to new points of signals. `number` is in the header of each block.
 * @typedef {object} PlotMessage
 * @property {"plot"} type
 * @property {string[]} signals
 * @property {number} [number]
 * @property {string} [stage]
 */
/**
 * A port: its URL, connected peers, dropped messages, and a shell command that uses it. `problem`
 * is the reason why it does not work at present, or "". `direction` is "in" or "out" if the robot
 * only receives or only sends on it.
 * @typedef {object} PortStatus
 * @property {string} name
 * @property {string} transport
 * @property {"in"|"out"|"both"} direction
 * @property {string} url
 * @property {number} links
 * @property {number} dropped
 * @property {string} problem
 * @property {string} example
 * @property {string} example_label
 */
/**
 * One mistake in a request: the key, the reason and the fix.
 * @typedef {object} ProblemEntry
 * @property {string} where
 * @property {string} what
 * @property {string} fix
 * @property {string} [file]
 * @property {number} [line]
 * @property {string} [code]
 */
/**
 * The body of every response that is not 200.
 * @typedef {object} Problems
 * @property {ProblemEntry[]} problems
 */
/**
 * The loaded program: its lines, the findings of its check, and its summary.
 * @typedef {object} ProgramContent
 * @property {string} name
 * @property {string[]} lines
 * @property {ProgramFinding[]} findings
 * @property {string} summary
 */
/**
 * A problem that the check of a program has found in a line.
 * @typedef {object} ProgramFinding
 * @property {number} line
 * @property {string} level
 * @property {string} text
 * @property {string} fix
 */
/**
 * The state of a robot's program file. `revision` grows with each loaded program and each finished
 * check. `line` is the number of the line in motion, 0 for none; `problem_line` that of the line
 * which ended the program.
 * @typedef {object} ProgramStatus
 * @property {string} name
 * @property {number} revision
 * @property {boolean} checking
 * @property {"idle"|"running"|"holding"|"waiting"|"done"|"stopped"|"failed"} state
 * @property {number} line
 * @property {number} sent_line
 * @property {string} problem
 * @property {number} problem_line
 */
/**
 * Add an obstacle, a disc or a box; or change one, which keeps its shape if none is given. Without
 * a name it gets the next free one. `robot` is a robot in whose world it is. With `nearest`, a
 * place that is not free is replaced by the nearest one that is.
 * @typedef {object} PutObstacle
 * @property {string} [name]
 * @property {number} x_m
 * @property {number} y_m
 * @property {number} [theta_rad]
 * @property {number|null} [radius_m]
 * @property {[number, number]|null} [size_m]
 * @property {string} [robot]
 * @property {boolean} [nearest]
 */
/**
 * Put a robot at a pose while time stands still; without `theta_rad` it keeps its heading.
 * @typedef {object} PutRobot
 * @property {number} x_m
 * @property {number} y_m
 * @property {number|null} [theta_rad]
 * @property {boolean} [nearest]
 */
/**
 * The answer to a pose, as a sentence. `joints_deg` are the joint angles, if any.
 * @typedef {object} ReachAnswer
 * @property {boolean} reachable
 * @property {string} text
 * @property {number[]|null} joints_deg
 */
/**
 * A pose of the tool centre point: x, y, z in mm; roll, pitch, yaw in degrees. With `go`, the
 * robot moves there if it can.
 * @typedef {object} ReachPose
 * @property {number[]} pose
 * @property {boolean} [go]
 */
/**
 * The file in the recordings folder to record to. The default is SCENARIO-DATE-TIME.mcap. A file
 * that exists is replaced only with `force`.
 * @typedef {object} RecordTo
 * @property {string|null} [file]
 * @property {boolean} [force]
 */
/**
 * A recording that the player can open.
 * @typedef {object} RecordingFile
 * @property {string} name
 * @property {string} path
 * @property {number} bytes
 * @property {string} modified
 * @property {boolean} writing
 */
/**
 * Links to a recording: for programs on this machine, and one that opens it in Foxglove.
 * @typedef {object} RecordingLink
 * @property {string} url
 * @property {string} foxglove
 */
/**
 * The open recording over its whole length; `file` is null if none is open. `counts` has messages
 * `received` and `sent` and events `info`, `warnings` and `errors`, each in bins of `step_s` from
 * `begin_s` on.
 * @typedef {object} RecordingOverview
 * @property {string|null} file
 * @property {number} begin_s
 * @property {number} end_s
 * @property {number} step_s
 * @property {Record<string, number[]>} counts
 * @property {FaultBand[]} faults
 * @property {EventMark[]} collisions
 */
/**
 * Go to a snapshot: kept by name, in a file of the recordings folder, or its content.
 * @typedef {object} RestoreSnapshot
 * @property {string} [name]
 * @property {string} [file]
 * @property {string} [data]
 */
/**
 * Go on to the end, or by one block with `single`.
 * @typedef {object} ResumeProgram
 * @property {boolean} [single]
 */
/**
 * The state of one robot, its inputs, and the faults that can be injected into it.
 * @typedef {object} RobotDetails
 * @property {string} name
 * @property {string} status
 * @property {PortStatus[]} ports
 * @property {Record<string, boolean|number|string>} inputs
 * @property {Record<string, any>} metrics
 * @property {FaultStatus[]} faults
 * @property {Record<string, InputInfo>} declared_inputs
 * @property {Record<string, Record<string, Record<string, number|string>>>} fault_targets
 * @property {Record<string, Record<string, Record<string, FaultParam>>>} fault_params
 */
/**
 * The state of a robot that the client looks at. `program` is for robots with programs, `goal` for
 * those that go to places. A `movable` one can be put at another place while time stands still.
 * @typedef {object} RobotMessage
 * @property {string} name
 * @property {string} status
 * @property {PortStatus[]} ports
 * @property {Record<string, boolean|number|string>} inputs
 * @property {Record<string, any>} metrics
 * @property {FaultStatus[]} faults
 * @property {"robot"} type
 * @property {"live"|"recording"|"second"} stage
 * @property {ProgramStatus} [program]
 * @property {GoalStatus} [goal]
 * @property {boolean} [movable]
 */
/**
 * The state of one robot as its operator sees it.
 * @typedef {object} RobotStatus
 * @property {string} name
 * @property {string} status
 * @property {PortStatus[]} ports
 * @property {Record<string, boolean|number|string>} inputs
 * @property {Record<string, any>} metrics
 * @property {FaultStatus[]} faults
 */
/**
 * A robot in the status. Robots with the same number of `world` share a map.
 * @typedef {object} RobotSummary
 * @property {string} name
 * @property {string} kind
 * @property {number} world
 * @property {string} status
 */
/**
 * Run one of the actions on a robot's page.
 * @typedef {object} RunAction
 * @property {string} name
 */
/**
 * Run from a line. With `single`, stop after each block.
 * @typedef {object} RunProgram
 * @property {number} [first]
 * @property {boolean} [single]
 */
/**
 * A snapshot that was taken, and the file that it was written to, if any.
 * @typedef {object} SavedSnapshot
 * @property {string} name
 * @property {number} time_s
 * @property {string} file
 */
/**
 * The messages that a port receives. `types` has a JSON Schema for each type. `way` is "port" if
 * such a message is encoded and sent to the real port, "api" if it bypasses the codec. `raw` is
 * set if bytes can be sent to the port.
 * @typedef {object} SchemaOfPort
 * @property {string} port
 * @property {string} transport
 * @property {"in"|"out"|"both"} direction
 * @property {string} url
 * @property {boolean} raw
 * @property {boolean} needs_subject
 * @property {string[]} subjects
 * @property {"port"|"api"} way
 * @property {Record<string, any>} types
 */
/**
 * State of the second recording. It is `level` if it shows the time of the player.
 * @typedef {object} SecondStatus
 * @property {string|null} file
 * @property {number} time_s
 * @property {number} begin_s
 * @property {number} end_s
 * @property {boolean} cut
 * @property {string} note
 * @property {string} failure
 * @property {boolean} level
 */
/**
 * Go to a time in the recording.
 * @typedef {object} SeekRecording
 * @property {number} time_s
 */
/**
 * A message to deliver on a port, as if a peer had sent it. Its key `type` names its type.
 * @typedef {object} SendMessage
 * @property {string} port
 * @property {Record<string, any>} message
 */
/**
 * A message to send to a port: text, bytes in hexadecimal, or a type with its fields.
 * @typedef {object} SendToPort
 * @property {string} port
 * @property {string} [subject]
 * @property {string|null} [text]
 * @property {string|null} [hex]
 * @property {string} [kind]
 * @property {Record<string, any>} [fields]
 */
/**
 * The way that a message took, and the answers of the robot within a second. `note` says why the
 * real port could not be used, if that was tried.
 * @typedef {object} SentToPort
 * @property {"port"|"api"} way
 * @property {string} url
 * @property {string[]} answers
 * @property {string} note
 */
/**
 * @typedef {StatusMessage|RobotMessage|AroundMessage|Page|ListingsMessage|EventMessage|
 *   TruthMessage|TroubleMessage|DroppedMessage|WireMessage|FleetMessage|
 *   ErrorMessage} ServerMessage
 */
/**
 * Open or close a door (`open`), send a lift (`floor`), stop a lift or a conveyor (`running`).
 * Give one of them.
 * @typedef {object} SetDevice
 * @property {string} name
 * @property {boolean|null} [open]
 * @property {string|null} [floor]
 * @property {boolean|null} [running]
 */
/**
 * New values of inputs of a robot, by name. All are set, or none.
 * @typedef {object} SetInputs
 * @property {Record<string, boolean|number|string>} inputs
 */
/**
 * A factor of real time, "fast" or "lockstep".
 * @typedef {object} SetSpeed
 * @property {number|string} speed
 */
/**
 * A signal for plots. `section` is truth, view, metrics, input, out, in or program.
 * @typedef {object} SignalEntry
 * @property {string} name
 * @property {string} robot
 * @property {string} section
 * @property {string} label
 * @property {string} unit
 */
/**
 * The limits of an expectation on a signal, within a time window; null is no limit.
 * @typedef {object} SignalLimit
 * @property {string} signal
 * @property {string} label
 * @property {number|null} low
 * @property {number|null} high
 * @property {number|null} from_s
 * @property {number|null} to_s
 */
/**
 * The signals of a simulation. `left_out` more are there; ask for one robot or for a text.
 * `complete` is below 1 while a recording is read.
 * @typedef {object} SignalList
 * @property {"live"|"recording"} stage
 * @property {SignalEntry[]} signals
 * @property {number} left_out
 * @property {string[]} notes
 * @property {number} begin_s
 * @property {number} end_s
 * @property {number} complete
 * @property {number} generation
 */
/**
 * The marks behind plots: faults, severe events and the limits of expectations.
 * @typedef {object} SignalMarks
 * @property {"live"|"recording"} stage
 * @property {FaultBand[]} faults
 * @property {EventMark[]} events
 * @property {SignalLimit[]} limits
 */
/**
 * A snapshot that is kept in memory, with the content of a snapshot file in base64.
 * @typedef {object} SnapshotContent
 * @property {string} name
 * @property {number} time_s
 * @property {string} data
 */
/**
 * A snapshot that is kept in memory.
 * @typedef {object} SnapshotEntry
 * @property {string} name
 * @property {number} time_s
 */
/**
 * A body: sizes, centre, colour and quaternion; a mesh has base64 of points and triangles.
 * @typedef {object} Solid
 * @property {"box"|"cylinder"|"sphere"|"mesh"} kind
 * @property {number[]} size_m
 * @property {[number, number, number]} at
 * @property {string} colour
 * @property {[number, number, number, number]} turn
 * @property {string} points
 * @property {string} triangles
 * @property {string} name
 */
/**
 * The state of the run and of all robots.
 * @typedef {object} Status
 * @property {string} name
 * @property {"failed"|"stopped"|"paused"|"lockstep"|"running"} state
 * @property {string} failure
 * @property {number} time_s
 * @property {number} epoch
 * @property {"real"|"fast"|"lockstep"} pace
 * @property {number} speed
 * @property {number} wall_s
 * @property {number} real_time_factor
 * @property {number} lost_s
 * @property {number} seed
 * @property {string|null} recording
 * @property {OutcomeStatus|null} outcome
 * @property {RobotStatus[]} robots
 */
/**
 * The run as a whole, ten times per second. With more than 64 robots, `robots` is in every tenth
 * message, and in the one after an emergency stop.
 * @typedef {object} StatusMessage
 * @property {string} name
 * @property {"failed"|"stopped"|"paused"|"lockstep"|"running"} state
 * @property {string} failure
 * @property {number} time_s
 * @property {number} epoch
 * @property {"real"|"fast"|"lockstep"} pace
 * @property {number} speed
 * @property {number} wall_s
 * @property {number} real_time_factor
 * @property {number} lost_s
 * @property {number} seed
 * @property {string|null} recording
 * @property {OutcomeStatus|null} outcome
 * @property {"status"} type
 * @property {SnapshotEntry[]} snapshots
 * @property {LiveRobotSummary[]} [robots]
 * @property {Zone[]} zones
 * @property {OpenPlayer|null} [deck]
 */
/**
 * Advance by this many milliseconds of simulated time.
 * @typedef {object} Step
 * @property {number} [ms]
 */
/**
 * Go forward, or back, by some milliseconds.
 * @typedef {object} StepRecording
 * @property {number} [ms]
 */
/**
 * Set (`on`) or release the emergency stop of these robots.
 * @typedef {object} StopMany
 * @property {string[]} robots
 * @property {boolean} [on]
 */
/**
 * The robots whose emergency stop was set or released.
 * @typedef {object} StoppedRobots
 * @property {boolean} on
 * @property {string[]} robots
 */
/**
 * Take a snapshot: the name to keep it under, and a file in the recordings folder to write. Both
 * are optional. A file that exists is replaced only with `force`.
 * @typedef {object} TakeSnapshot
 * @property {string} [name]
 * @property {string} [file]
 * @property {boolean} [force]
 */
/**
 * Cut the part between two times out of a recording.
 * @typedef {object} TrimRecording
 * @property {string} file
 * @property {number} begin_s
 * @property {number} end_s
 */
/**
 * The view of a robot has failed.
 * @typedef {object} TroubleMessage
 * @property {"trouble"} type
 * @property {string} robot
 * @property {string} text
 */
/**
 * The ground truth of one robot. Its fields depend on the kind of robot.
 * @typedef {object} Truth
 * @property {number} time_s
 * @property {any} truth
 */
/**
 * Ground truth of all robots.
 * @typedef {object} TruthMessage
 * @property {"truth"} type
 * @property {number} time_s
 * @property {Record<string, any>} robots
 */
/**
 * One message with its fields and bytes. `data` and `original` (the bytes before a fault changed
 * them) are in base64. `trouble` says why the fields cannot be shown. `lines` are ways to send it,
 * by name: shell commands and Python.
 * @typedef {object} WireDetail
 * @property {WireRow} row
 * @property {any} fields
 * @property {string} trouble
 * @property {string} data
 * @property {string} original
 * @property {number} link
 * @property {Record<string, string>} lines
 */
/**
 * Subscribe to messages on the wire. Empty fields select all.
 * @typedef {object} WireLookMessage
 * @property {"wire"} type
 * @property {boolean} [on]
 * @property {number} [serial]
 * @property {string} [stage]
 * @property {string} [robot]
 * @property {string} [port]
 * @property {""|"in"|"out"} [direction]
 * @property {string} [kind]
 * @property {string} [subject]
 * @property {string} [text]
 * @property {boolean} [abnormal]
 * @property {boolean} [paused]
 */
/**
 * New rows of the list that a client subscribed to. `serial` is that of the subscription. With
 * `reset`, the rows replace the list. `skipped` rows passed the filter but were left out
 * (sampled), since there were too many. `searching` is set while older messages are still
 * searched. `loading` is the progress of reading a recording, or null; `until_s` is where a long
 * recording was cut. `trouble` says why it cannot be read.
 * @typedef {object} WireMessage
 * @property {"wire"} type
 * @property {"live"|"recording"} stage
 * @property {number} serial
 * @property {boolean} reset
 * @property {WireRow[]} rows
 * @property {number} skipped
 * @property {boolean} searching
 * @property {number|null} loading
 * @property {number|null} until_s
 * @property {string} trouble
 * @property {WireStatistics[]} [statistics]
 */
/**
 * A message on the wire, as a line of the list. `what` is "data", "local" (from Python or the API,
 * without bytes), "connected", "disconnected", "unsent" (in a recording: no client was connected)
 * or "jump" (time was reset or restored). `size` is that of the packet. If a packet has several
 * messages, `part` of `parts` counts them. `marks` are the effects of wire faults.
 * @typedef {object} WireRow
 * @property {number} n
 * @property {number} t
 * @property {string} robot
 * @property {string} port
 * @property {"in"|"out"} direction
 * @property {"data"|"local"|"connected"|"disconnected"|"unsent"|"jump"} what
 * @property {string} peer
 * @property {string} subject
 * @property {string} kind
 * @property {string} text
 * @property {number} size
 * @property {number} [part]
 * @property {number} [parts]
 * @property {string[]} [marks]
 * @property {number|null} [delay_ms]
 * @property {string} [refused]
 */
/**
 * The messages of one type and subject on one port. Rate and jitter are those of the last hundred.
 * @typedef {object} WireStatistics
 * @property {string} robot
 * @property {string} port
 * @property {"in"|"out"} direction
 * @property {string} kind
 * @property {string} subject
 * @property {number} count
 * @property {number} bytes
 * @property {number} rate_hz
 * @property {number} jitter_ms
 * @property {number} bytes_per_s
 */
/**
 * The map of a world, or null on an open plane, and the objects on it.
 * @typedef {object} WorldMap
 * @property {GridInfo|null} grid
 * @property {MapObject[]} things
 */
/**
 * A zone on the map of a world: a rectangle or a circle. `toml` is an expectation on it for a
 * scenario. `blockable` is true if there are AGVs in its world; `blocked` names those that it is
 * forbidden to.
 * @typedef {object} Zone
 * @property {string} name
 * @property {number} world
 * @property {[number, number]|null} x
 * @property {[number, number]|null} y
 * @property {[number, number]|null} center
 * @property {number|null} radius_m
 * @property {string} toml
 * @property {boolean} blockable
 * @property {string[]} blocked
 */

export {};
