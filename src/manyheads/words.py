"""The vocabulary of the training sentences: word lists by category, and English inflection.

What a noun names (person, animal, food, place, thing, idea) is what gives a sentence its `object` fact; what a verb
takes decides what it is said of, so that nobody eats a staircase.
"""

NOUNS = {
    "person": """
        actor artist author aunt baby banker barber boss boy bride brother builder butcher captain carpenter chef
        chief child citizen clerk client clown coach colleague collector cook cop customer dancer daughter designer
        diver doctor driver drummer editor engineer expert farmer father firefighter fisherman friend gardener girl
        girlfriend grandfather grandmother grocer guard guest guide guitarist hairdresser host hunter husband
        inspector inventor journalist judge king kid lady lawyer leader librarian lifeguard lord man manager mayor
        mechanic merchant miner mother musician nurse officer owner painter parent partner passenger philosopher
        photographer physicist pianist pilot pirate player poet police prince princess prisoner professor programmer
        queen rebel referee reporter sculptor secretary senator servant shepherd shopkeeper singer sister soldier son
        spy stranger student surgeon tailor teacher teenager thief tourist trader twin victim villager visitor
        volunteer waiter waitress widow wife winner witch witness woman worker writer accountant acrobat administrator
        adult agent ally amateur ambassador analyst ancestor announcer apprentice architect assistant astronaut
        astronomer athlete attorney babysitter bachelor ballerina barista baron bartender beginner beggar bishop
        blacksmith bodyguard businessman butler buyer cameraman candidate cashier celebrity cellist champion chemist
        choir cleaner columnist comedian commander commuter companion composer conductor consultant counselor countess
        cowboy craftsman creator crew criminal critic cyclist daddy dad dealer dean defender democrat deputy
        descendant diplomat director discoverer donor duchess duke dwarf economist elder emperor employee employer
        enemy envoy expat explorer family fan fighter florist foreigner forester founder freshman gang general
        geologist ghost giant goalkeeper golfer governor graduate grandchild grandma granddaughter grandson guardian
        gymnast hacker handyman headmaster heir heroine historian hostess housekeeper immigrant infant intern
        interpreter investor jeweler jockey juggler juror knight laborer landlady lecturer legend linguist locksmith
        lover magician maid mailman mathematician maestro mentor messenger midwife millionaire minister model mom monk
        mum narrator navigator newcomer nobleman novelist nun nanny optician outlaw paramedic passerby pastor patron
        peasant pedestrian pensioner performer pharmacist physician pioneer playwright politician pope postman potter
        preacher predecessor president priest principal producer psychiatrist psychologist publisher racer ranger
        reader receptionist recruit refugee relative researcher resident rider rival roommate ruler saint salesman
        schoolgirl schoolboy scientist scout seller senior sheriff shopper skater skier sniper soprano specialist
        spectator spouse stepmother stewardess stockbroker stuntman supervisor supporter surfer survivor swimmer team
        technician therapist translator traveler treasurer trainer tutor umpire undertaker vegetarian veteran
        veterinarian vicar viking violinist voter walker warden warrior weaver welder widower winemaker wizard
        woodcutter wrestler youngster""",
    "animal": """
        alligator ant bat bear bee bird buffalo bull butterfly calf camel cat caterpillar chicken cobra cow crab
        cricket crocodile crow deer dinosaur dog dolphin donkey dove dragonfly duck elephant elk falcon flamingo fly
        foal fox frog gazelle giraffe goat goldfish gorilla grasshopper hare hawk hen heron hippo horse hyena jackal
        jaguar kangaroo ladybug lamb leopard lion lizard lobster mole monkey mosquito mouse mule octopus owl ox panda
        panther peacock pelican penguin pig pigeon pony puppy rabbit raccoon ram rat raven reindeer rhino rooster
        salamander seagull seal shark sheep skunk sloth snail snake spider starfish stork swan tiger toad tortoise
        turkey turtle viper vulture walrus whale wolf worm zebra alpaca anteater antelope ape armadillo baboon badger
        beetle bison blackbird boar bobcat canary centipede chameleon chimpanzee chipmunk cockroach condor cougar
        coyote cub cuckoo dachshund dalmatian dragon eel emu ferret finch firefly flea gecko gibbon goose grizzly
        guppy hornet hound hummingbird husky iguana insect jellyfish kingfisher lark lemur lynx macaw magpie mammal
        mammoth manatee mastiff mink mongoose moose mustang nightingale orangutan oriole osprey oyster partridge
        pheasant piranha platypus pointer porcupine predator puma quail rattlesnake reptile robin rodent sardine
        scorpion seahorse shellfish slug sparrow sparrowhawk spaniel stingray swallow tadpole tarantula termite
        terrier tick tigress unicorn vole warthog weasel wildcat wolverine woodpecker wren yak""",
    "dish": """
        almond apple apricot avocado bagel banana bean beet biscuit burger burrito cabbage cake candy carrot cherry
        cocktail cookie cracker cucumber cupcake date doughnut egg eggplant fig grape grapefruit hamburger kebab kiwi
        lemon lime lollipop mango meal meatball melon muffin noodle nut omelet onion orange oyster pea peach peanut
        pear pepper pickle pie pineapple pizza plum potato pretzel radish raisin roast salad sandwich sausage scone
        smoothie snack steak stew strawberry taco tart toast tomato tortilla turnip walnut watermelon appetizer
        artichoke asparagus blackberry blueberry brownie casserole cauliflower cheeseburger cheesecake chestnut chip
        clementine coconut cranberry crepe croissant crumpet enchilada fajita fritter hazelnut hotdog leek lentil loaf
        lunch macaroon mandarin meatloaf nectarine nugget omelette papaya pastrami pepperoni plantain pomegranate
        popsicle quiche quesadilla raspberry ravioli rib risotto roll salami samosa seed sherbet sundae tangerine
        tortellini truffle turnover wafer wrap yam zucchini""",
    "drink": """
        ale bacon barley beef beer bread brandy broccoli butter buttermilk caramel champagne cheese chili chocolate
        cider cinnamon coffee corn cream dessert dough espresso fat flour fruit fudge garlic gin ginger gravy ham
        honey jam juice ketchup kale lettuce liquor margarine mayonnaise meat milk mustard oatmeal oil pasta pastry
        pork pudding rice rum rye salmon salsa salt sauce seafood soda soup spaghetti spinach sugar sushi syrup tea
        tequila tofu tuna vanilla vinegar vodka water wheat whiskey wine yogurt alcohol applesauce basil bourbon
        butterscotch cabernet cappuccino caviar cognac cornbread cranberry eggnog food granola guacamole hummus icing
        lager latte licorice liqueur marmalade marzipan mayo mint molasses mutton nectar parsley pepper poison popcorn
        poultry pumpernickel quinoa saffron sauerkraut sherry shortbread sirloin sorbet spice squash stuffing tapioca
        thyme tonic turmeric veal venison vermouth whey yeast""",
    "place": """
        abbey apartment arena attic balcony bank bar barn basement bathroom bay beach bedroom border bridge cabin cafe
        campus castle cathedral cave cemetery chapel church cinema city classroom cliff club coast college cottage
        country county courtyard creek desert district dock embassy factory farm field forest fort fountain gallery
        garage garden glacier gym hall hill hospital hotel house inn jungle kindergarten kingdom kitchen laboratory
        lake lighthouse lobby mall manor mansion market marsh meadow mill mine monastery moon mosque mountain
        neighborhood oasis ocean office orchard palace pasture peninsula pharmacy pier planet plaza pool prairie
        prison province pub ranch reef region resort restaurant river road roof room ruin sanctuary school sea shop
        shore shrine square stable staircase station street studio suburb supermarket swamp temple terrace theater
        tower town tunnel university valley vault village volcano warehouse waterfall wharf wilderness yard zoo aisle
        alley amphitheater aquarium archipelago auditorium avenue backyard ballroom barracks battlefield bazaar
        boardwalk bookstore brewery bunker butchery cafeteria canyon capital casino cavern cellar chamber chateau
        circus citadel clinic closet colony compound continent convent copse corner cove court crater crossroads dairy
        dam deck delta den diner dorm driveway dune embankment empire estate estuary exit fairground ferry fjord floor
        foyer freeway frontier garrison grave graveyard greenhouse grocery grove gulf gutter hangar headquarters heath
        highway highland home hut institute intersection isle junction kiosk lagoon lane ledge library lodge loft
        lounge lowland marina maze motel nation newsroom nightclub north nursery observatory outback outpost parish
        parking parliament passage path pavilion playground port precinct quarry quarter rainforest ramp range ravine
        refuge refinery reservoir residence reservation rink riverbank sanatorium sauna savannah shack shelter
        shipyard sidewalk site slope spa stage stairwell steppe strait store stream summit surgery territory tavern
        tomb track trail trench tropics underpass vineyard ward washroom waterfront well west wetland windmill wing
        woodland woods workplace workshop world zone""",
    "thing": """
        alarm album anchor apron arrow axe bag balloon ball banner barrel basket basketball bath battery bead bed belt
        bench bicycle bike blanket blouse boat book boot bottle bow bowl box branch brick broom brush bubble bucket
        bus cable camera candle cannon cap car card carpet cart cello chain chair chandelier chariot chest chimney
        clock cloak cloud coat coin collar comb compass computer container cot couch crane crate crown cup curtain
        cushion dagger desk diamond dictionary dish dollar door drum easel engine envelope fan fence file fire flag
        flashlight flower flute football frame fridge glass glove guitar gun hammer handbag hat helicopter helmet horn
        hose jet kayak key keyboard knife lamp leaf leash lens letter lever lid lightbulb locket locker machine
        magazine magnet map mask match medal microphone microscope mirror missile motor motorcycle mug nail napkin
        needle net newspaper notebook oar oven package page painting pan paper passport pebble pen photo piano pillar
        pillow pin pipe pistol plane plate poster pot printer propeller pump puppet purse puzzle radio radiator raft
        razor refrigerator ribbon rifle ring robe robot rock rocket rope ruler sack saddle satellite saucer saw scale
        screen sculpture sewing shell shelf shield ship shirt shoe shutter sign skate skirt sled slipper spade sponge
        statue stick stone stool stove string submarine sweater switch sword table tank tape taxi teapot telephone
        television tent thread ticket tie tile tool toothbrush torch towel toy tractor trailer train tray tree
        tricycle truck trumpet tub umbrella uniform vase vehicle vest wagon wall wallet watch wheel wheelchair whip
        whistle wig window yacht zipper accordion ambulance antenna antique appliance armor armchair artifact awning
        axle badge bagpipe bandage banjo banknote barge baton beam beard bib binder binoculars blackboard blade
        blender blindfold bolt bomb bookcase bookmark bouquet brace brake briefcase broadcast bullet bulldozer bumper
        bundle buoy cabinet cage calculator calendar candlestick cane canister canvas cardigan cargo cartridge casket
        cauldron ceiling chalk charger chessboard chisel cigar cigarette clamp clarinet claw clipboard clothes clutch
        coaster coffin comic cork corkscrew costume counter cradle crayon crib crossbow crutch crystal cube cursor
        dart dashboard detector device diagram diaper diary dice disc dishwasher doll dollhouse doorbell doorknob
        dragster drawing dresser drill drone dryer dumbbell dustbin earphone earring elastic emblem emerald eraser
        escalator eyebrow fax feather fiddle figurine filter fireplace firework flask floss flipper flyer foil folder
        fountain fossil freezer fuse gadget garland garment gear gift glasses globe goggles gong gown grenade gum
        hairbrush hairdryer hammock handcuff handle handkerchief harness harp harpoon hatchet headlight headphone
        heater hedge hinge hourglass hovercraft icon ingot instrument item jeans jigsaw joystick jug kimono kit kite
        knob lace ladle lamppost landmine lasso latch lawnmower license lighter limousine lipstick loom loudspeaker
        lute lyre mailbox mallet manual marker mat matchbox meter minivan mixer moped motorbike mousetrap mower muzzle
        necktie nest nightgown notepad nozzle oilcan organ ornament outfit overcoat padlock paintbrush palette pajamas
        pants paperclip parachute parasol patch pedal peg pendant pendulum perfume pickup pitchfork pill plank plant
        plaque plug pocket pole poncho portrait postcard prism projector prop pulley pyramid quilt quiver racket rail
        raincoat rake rattle receiver reel remote rickshaw rivet rod rose rosary saber sandal satchel sausage scaffold
        scalpel scanner scissors scooter scope screwdriver scroll seat seatbelt seesaw shampoo shawl sheet shopping
        shorts shower sickle skull sleeve slide sling snorkel snowball snowman sock socket souvenir spear sprinkler
        spring stapler steamer stethoscope stereo sticker stocking stopwatch strap straw streetlight stroller stuffing
        stump sundial sunglasses surfboard swing syringe tablecloth tablet tambourine tangle tattoo teacup teaspoon
        telegram thermometer thermos thimble thorn throne thumbtack tin toilet token toolbox tooth torpedo tram
        trampoline trap trapdoor tripod trolley trombone trophy trousers truncheon tuba turbine turban tuxedo tweezers
        twig typewriter ukulele underwear urn valve veil velvet video vine visor waistcoat walnut wand wardrobe
        warship washcloth weapon web wedge wheelbarrow whiteboard windshield wreath xylophone yoyo zither""",
    "stuff": """
        aluminum bamboo brass bronze cement cardboard clay cloth coal concrete copper cotton dust equipment fabric
        fuel furniture gasoline gold grass gravel hay ice iron jewelry lace leather linen lumber luggage machinery
        marble metal money mud paint plastic rubber sand silk silver smoke snow soap steel straw timber wax wood wool
        acid aluminium asphalt ash bark blood canvas carbon ceramic chalk charcoal chlorine chrome confetti cork denim
        dew diesel dirt dye electricity feather felt fiber flesh foam fog fur garbage glitter granite graphite grease
        hair helium hydrogen ivory jade jute kerosene latex lava lead lime linoleum litter lotion mercury mist moss
        nickel nylon oxygen paste perfume petrol pewter platinum porcelain powder rust satin sawdust scrap sediment
        sewage shampoo slate slime slush smog soil spandex starch steam string sulfur suede tar tin tinsel titanium
        tinfoil toothpaste trash tungsten turpentine tweed uranium varnish velvet vinyl yarn zinc""",
    "idea": """
        agreement answer argument ballad battle belief belt career ceremony chapter choice class clue code comedy
        contest contract cure custom deal debate decision declaration deadline definition discovery duty election
        equation essay event exam excuse experiment fact film formula game goal habit idea illness image insight
        instinct instruction interview journey language law lesson lie limit list marriage meeting memory message
        method mission model moment movie myth name novel number obligation offer opinion option order party pattern
        performance plan policy prayer price principle problem process program project promise proof proposal proverb
        question reason recipe religion report request riddle ritual role rule salary schedule secret sentence song
        speech story strategy task tax test theorem theory thought title topic trade tradition trial trip truth
        vacation version view vote wedding wish word accusation act addition address advantage affair agenda aim album
        algorithm allegation alliance analogy analysis anecdote anniversary announcement anthem apology appeal
        appointment approach article aspect assessment assignment assumption attitude audition autobiography autograph
        backup ban benefit biography birth blog boundary breakthrough budget calculation campaign cartoon category
        cause century challenge chance change chant charity checklist chorus circumstance claim comment commitment
        commission communication comparison competition complaint concept conclusion condition conference conflict
        confession conspiracy conversation corporation course criterion crisis critique curriculum cycle dance data
        date death decade demand demonstration departure description detail diet dilemma disease discount discussion
        distinction doctrine document edition editorial effort emotion empire episode era error estimate evaluation
        evening exhibition expectation expedition explanation expression fable factor failing fairytale feature fee
        festival feud fiction figure finding focus forecast fortune foundation friendship function funeral generation
        gesture grade guarantee guess guideline holiday hymn identity ideology impression incident industry inquiry
        inspection institution intention interest invention invitation issue judgment label legend letter loan
        location lottery lyric lullaby majority manner manuscript match measure mechanism menu merger metaphor
        monologue mood motive motto mystery narrative need negotiation nickname objection objective observation
        occasion occupation operation opportunity origin outcome paradox parable paragraph passion patent payment
        penalty permit perspective petition phase phenomenon phrase poll portion position possibility prediction
        preference presentation prize procedure profession profit prophecy protest purpose pursuit puzzle query quiz
        quotation race rebellion rebate recital recommendation reform refund region regulation relation relationship
        remark reply reputation requirement resolution response result resume revolution rhyme rhythm routine sale
        sample sanction scene scheme scholarship score script seminar sequel series session shift shortage show signal
        slogan solution sonnet source speculation standard statement statistic statute struggle style subject
        suggestion summary surprise survey symphony symptom system talk technique tendency tension theme thesis threat
        tournament transaction transition translation treaty trend trick tune tutorial type understanding venture
        verse viewpoint visa vocabulary voice vow war warning website witticism workout""",
    "notion": """
        ambition art biology chemistry childhood democracy economics education electricity energy ethics evolution
        fame fashion freedom gravity grammar health heat history homework independence information intelligence
        justice knowledge light literature logic love luck mathematics medicine music nature news patience permission
        philosophy physics poetry politics power privacy progress psychology research respect sleep silence society
        space sport strength technology time traffic training travel trust weather wealth wisdom work youth accuracy
        adolescence advertising age aggression agriculture air altitude anatomy anthropology archaeology architecture
        arithmetic astronomy athletics atmosphere attention authority awareness balance ballet baseball biography
        boxing business calculus capitalism caution chess circulation citizenship civilization clarity cleanliness
        climate commerce communication communism competence complexity confusion consciousness consistency
        construction cooking courtesy creativity cricket culture curiosity darkness data debt decency depth destiny
        dignity diplomacy diversity divorce drama ecology efficiency employment engineering English entertainment
        equality etiquette existence exercise expertise fate feminism fiction fishing fitness folklore football French
        friendship gardening genetics geography geology geometry glamour golf gymnastics harmony heredity hockey
        honesty housing humor hunger hygiene imagination immigration immunity impatience inflation inheritance
        innocence innovation integrity intuition investment irony journalism jazz judo karate labor laughter
        leadership leisure length liberty linguistics literacy loyalty magic management maturity meditation memory
        mercy metaphysics migration modesty mortality motion motivation mythology nationalism necessity neutrality
        nutrition obedience obesity optimism oxygen pathology patriotism perception permanence perseverance pessimism
        photography plumbing pollution popularity potential poverty precision pressure pride production prosperity
        psychiatry publicity punctuation purity quality reality rebellion recognition reflection relativity relaxation
        repetition revenge rhetoric rhyme rhythm robotics safety salvation sanity scale science security shade
        simplicity singing skepticism skill slang sociology solitude soul Spanish speed spelling stability status
        storage strategy stress style suspense swimming symmetry talent taxation tennis tension theology therapy
        thinking thunder tourism transportation treatment twilight uncertainty unemployment unity velocity violence
        vision vitality volleyball voting warfare warmth wellness whim width wilderness wit workmanship yoga zoology""",
}

NAMES = {
    "person": """
        Adam Ahmed Alan Albert Alice Amy Andrew Angela Anna Anthony Barbara Ben Bob Brian Carlos Carol Charles Chloe
        Chris Daniel David Diana Edward Elena Emily Emma Eric Eva Frank George Grace Hannah Harry Helen Henry Isabel
        Ivan Jack Jacob James Jane Jason Jenny John Joseph Julia Karen Kate Kevin Kumar Laura Leo Linda Lisa Louis
        Lucy Luis Maria Mark Martha Martin Mary Max Mia Michael Mohammed Nancy Nick Nina Noah Oliver Olga Omar Oscar
        Patrick Paul Peter Rachel Ravi Rebecca Richard Robert Rosa Ruth Sam Sara Simon Sofia Stephen Susan Thomas Tim
        Tom Tony Victor William Yuki Zoe""",
    "place": """
        Africa Alaska America Athens Australia Berlin Boston Brazil Cairo Canada Chicago China Cuba Delhi Denmark
        Dublin Egypt England Europe Finland Florida France Germany Greece India Iran Ireland Israel Istanbul Italy
        Japan Kenya Korea Lima London Madrid Mexico Moscow Nepal Nigeria Oslo Oxford Paris Peru Poland Prague Rome
        Russia Scotland Spain Sweden Switzerland Sydney Texas Thailand Tokyo Toronto Turkey Venice Vienna Vietnam
        Wales""",
}

TIMES = """
    morning afternoon evening night week weekend month year spring summer autumn Sunday Tuesday Friday Saturday June"""

# What a verb takes. A person does it, to this.
VERBS = {
    "dish": """
        bake boil burn chop consume cook cut devour digest eat freeze grill mix order prepare season serve share slice
        steam swallow try barbecue broil bite caramelize carve crunch defrost dice garnish gobble lick marinate mash
        mince nibble peel pickle poach reheat roast scramble simmer slurp soak spit stew stuff sautee toast""",
    "drink": """
        buy consume drink import mix order pour sell serve sip smell store stir brew dilute ferment gulp guzzle inhale
        offer refrigerate refuse sample simmer splash swill""",
    "thing": """
        adjust assemble bend break bring build burn buy carry catch check choose clean close collect connect cover
        decorate deliver dig drag drop empty examine exchange fasten fill find fix grab grip heat hide hit hold
        import inspect invent keep kick lift load lose lower make measure melt mend move notice open own pack paint
        pick place polish pull push put raise recycle remove replace return scratch search seize sell send shake
        shine shut smash spin split steal store stretch swing take tear test throw transport turn twist use wash
        wear wipe wrap abandon activate aim align alter arrange attach balance bash bless bolt bounce brush chip
        claim clamp coil collapse combine compare conceal confiscate construct control crack crumple dent detach
        develop disassemble discard dismantle display donate dust eject enlarge erase erect exhibit extinguish fling
        flip forge gather hammer handle haul hurl illuminate insert insure iron kindle knit launch lay locate loosen
        lubricate mail manufacture mark mount nail nudge operate pawn perforate pierce pile plant plug point
        position power produce propel pump punch purchase rattle rearrange receive recover refill repaint retrieve
        rotate rub sand scatter scrape scrub seal secure sew sharpen shift shred sketch slam slide smear snap snatch
        spray spread squash squeeze stack stain strap strike strip swap sweep switch tape tie tilt tip toss tow
        trace trade transfer trim unfold unload unlock unwrap update varnish wave weave weld wield wind yank
        unbutton unfasten unhook unroll unscrew untie uncover unveil uncork miscount""",
    "person": """
        accompany answer arrest ask assist attack call carry catch chase convince cure dress employ find follow greet
        guide help hire hug interview introduce join kiss know lead marry meet nominate notice obey pay persuade
        photograph promote protect punish pursue question recognize remind rescue see serve stop support surround
        teach tell thank train visit wake warn watch accuse adopt advise appoint approach avoid ban bandage beat
        befriend block bother caution challenge command compliment confront congratulate consult contact counsel dare
        defeat defy deport detain diagnose discourage distract divorce doubt elect embrace encourage escort evacuate
        examine fine fire fool forbid forgive free grab guard heal identify imitate include inform instruct interrupt
        involve jail judge mention mimic motivate nurse observe overhear overtake prosecute provoke push quote raise
        recruit refer reject replace reward rob sack scold search shadow shelter strike sue summon surprise suspect
        tackle target tempt test track trap treat trick trust tutor update urge vaccinate wave""",
    "animal": """
        breed buy capture chase count draw feed find follow hear hold hunt keep lead lose notice own pet photograph
        protect raise release rescue ride see sell spot track train walk wash watch adopt bathe brush cage domesticate
        milk observe saddle shear shelter stroke tame tether trap unleash vaccinate""",
    "place": """
        abandon approach build buy clean close cross decorate defend enter explore find guard inhabit leave mention
        need paint pass photograph reach remember search see visit attack capture circle circumnavigate demolish
        describe discover evacuate flood fortify illuminate inspect invade light map navigate occupy own patrol
        rebuild renovate repaint restore revisit rule scout sketch survey sweep tour traverse vacate""",
    "idea": """
        accept announce approve begin cancel change check complete confirm consider continue copy create debate deny
        describe discuss doubt edit explain express follow forget hear improve interpret invent investigate keep
        know learn mention need organize plan print propose prove publish read record reject remember repeat report
        review reveal see sing sign start study suggest support teach tell translate understand want write abandon
        absorb abolish accomplish acknowledge adopt advertise advocate affirm alter amend analyze arrange assess
        attend broadcast calculate celebrate challenge circulate cite clarify combine comprehend conceive conclude
        conduct consult contradict contribute correct defend delete deliver demonstrate determine develop devise
        dictate disclose dismiss disprove disregard document download emphasize endorse enforce establish estimate
        evaluate examine exploit explore forge formulate fulfill handle highlight illustrate imagine implement
        incorporate introduce judge justify launch leak mark master modify negotiate obey observe omit oppose
        outline perform pitch practice predict present preserve pursue quote recall recite recommend reconsider
        refute regulate rehearse release repeal resist resume retell revise rush schedule settle share simplify skip
        stage stress submit summarize suppress test trace transcribe undermine upload uphold verify withdraw witness
        misread misspell misquote mishear rethink unravel""",
    "notion": """
        discover discuss explain learn need remember require seek study teach understand want achieve acquire analyze
        celebrate cultivate defend demand describe develop embody encourage enhance establish explore foster gain
        gather illustrate investigate lack maintain measure overcome practice preach preserve promote pursue represent
        research restore sacrifice share spread symbolize""",
}
DEEDS = {  # verbs that take no such object
    "state": """
        belong contain cost exist know matter mean need own possess remain represent require resemble seem comprise
        concern consist correspond depend deserve differ equal fit hold include indicate involve lack last measure
        reflect relate""",
    "motion": """
        arrive climb come crawl creep cycle dance dash drift drive fall flee fly gallop go hike hop hurry jump land
        move race return ride rise roll run rush slide slip step stumble swim travel trot walk wander advance amble
        barge bolt bounce canter coast dart descend dive drop flap flutter glide leap limp lunge parade plod plunge
        prance prowl retreat rocket scamper scramble scurry shuffle skate ski skip slink slither slog speed sprint
        stagger stomp stray stride stroll strut sweep swerve tiptoe totter trail tramp trek trudge trundle tumble
        waddle waltz wade zigzag zoom""",
    "action": """
        act appear bark bathe breathe chat cough cry dance disappear dive dream exercise fight fish flow gather grow
        hide improvise joke kneel laugh lie listen live meditate nod pause perform play practice pray read relax rest
        shiver shop shout sing sit ski sleep smile smoke sneeze snore speak squat stand stay study succeed sweat talk
        think vote wait wave whistle work yawn yell apologize argue arise babble backfire bake battle beg blink blush
        bow box breed cackle chuckle clap collapse compete concentrate cooperate crouch daydream decay disagree doze
        emerge evolve excel faint fidget flirt frown fumble gamble gasp gaze giggle glance graduate grin groan growl
        grumble hesitate howl hum interfere itch knit laze loiter lurk meow moan murmur nap negotiate object paint
        perspire pose pout preach protest purr quit rebel reply scowl shave shriek shrug sigh skateboard slumber smirk
        sneer sniff snooze sparkle sprout stammer stare strike struggle surrender tremble twitch wail wander whimper
        wink wither wonder wrestle yelp""",
    "give": """
        bring give hand offer pass sell send show throw write award deliver feed grant loan mail owe promise read
        serve ship teach toss""",
    "move": """
        appear arrive bounce break burn close collapse crash disappear drop expand explode fall fly freeze heat melt
        move open roll rust shine shrink slide slip spin stop swing turn bend boil bubble click crack creak crumble
        decay decline dissolve drip erupt evaporate fade flash flicker glow grow hum increase leak land mature
        multiply pop rattle ripple roar rumble rustle shatter slam snap sparkle split spread squeak stick swell tick
        tip topple vibrate wobble""",
    "appear": """
        appear feel look remain smell""",
    "saying": """
        believe claim forget guess hear know mention notice realize remember report say think understand add admit
        agree announce argue assume conclude confess decide declare demonstrate deny discover doubt dream estimate
        explain feel find hint hope imagine indicate insist learn observe predict pretend promise prove read recall
        reckon reply reveal see sense shout show suggest suppose suspect teach""",
    "planning": """
        agree attempt decide expect forget intend learn manage need offer plan prepare promise refuse start try want
        afford aim arrange ask choose claim decline fail fight happen hesitate hope long pretend seek struggle tend
        train volunteer vow wait""",
    "weather": """
        freeze pour rain snow thunder""",
}

ADJECTIVES = """
    African American ancient annual automatic bald bare big black blond blue brief British broad brown central
    Chinese circular classic coastal cold colored common complete curly current daily damp dark deep dense digital
    distant double dry Dutch early eastern electric electronic empty English entire European extra fast federal
    final flat foreign formal former free French frozen full German giant global gold golden gray Greek green heavy
    hidden high hollow hot human Indian indoor industrial inner international Italian Japanese large late left light
    liquid little local long loose loud low magnetic main male married medical medieval middle military mobile
    modern moist narrow national natural naval near nearby new next northern nuclear official old open oral oval
    pale parallel past pink plain political portable possible private public quick quiet rare raw rapid recent red
    regular religious right round royal rural Russian secret senior separate shallow sharp short silent silver
    similar single slender slow small social soft solar solid southern Spanish spicy square steep straight striped
    sudden Swedish tall temporary thick thin tiny traditional transparent triangular tropical typical underground
    unusual upper urban usual vast vertical violet visible warm weekly western wet white whole wide wild wooden
    yellow young absent abstract academic accidental active actual additional adjacent adult aerial alien
    alternative amateur ample angular antique approximate aquatic arctic artificial Asian atomic Australian
    available average awake basic beige biological blank blind blunt bottom brass breakable bronze bulky Canadian
    careful cautious ceramic certain chemical chilly chubby civil clear clerical clinical closed cloudy coarse
    collective colonial colorless commercial compact comparable complicated concrete conscious conservative constant
    contemporary conventional crisp crooked crowded cubic cultural curved customary deaf decorative democratic
    deserted detailed diagonal different dim diplomatic direct disabled discreet distinct diverse domestic dressed
    drowsy durable dusty dynamic edible educational elastic elderly elect eldest electrical elementary elongated
    emerald emotional empirical enclosed endless equal established eternal ethnic exact exotic expected experimental
    explicit exterior external extinct faint familiar fashionable favorite feathered feminine financial finite first
    fixed flexible floral fluffy fluid foggy following forthcoming fragile frequent frosty functional furry fuzzy
    general generic genetic genuine geographical Gothic grand granular grassy grown hairy half handmade hard
    harmless healthy hexagonal hilly historic historical holy homemade horizontal hourly humid hybrid icy identical
    imaginary immediate immense imported incomplete independent indirect inflatable initial inland innate intact
    intense intermediate interior internal invisible Irish Islamic isolated Israeli jagged Jewish joint junior
    juvenile knitted known Korean lacy lasting latest Latin lateral lawful leafy lean leather legal lengthy limited
    linear literary live living loaded logical lone lush luminous major manual marine maritime massive mature
    maximum mechanical medium mental metallic Mexican mild mini minimal minor mixed moderate modest molten monetary
    monthly moral motionless multiple municipal muscular musical muted mutual mysterious mythical naked native
    neighboring neutral nightly nocturnal noisy nominal normal numeric numerous oblong obvious occasional odd
    offshore oily ongoing online optical optional orange orchestral ordinary organic orthodox outdoor outer overall
    overhead overnight overseas packed padded painted Palestinian particular partial passive paternal patterned
    peculiar permanent Persian personal petite philosophical physical pictorial plastic plump pointed polar Polish
    polished popular porous Portuguese powdered powerful practical precise pregnant preliminary present prickly
    primary prime primitive prior probable professional profound prominent proper provincial pure puzzling quaint
    quarterly racial radical random rational readable real realistic rear reasonable redundant regional related
    relative relevant remaining remote renewable residential respective responsible rigid ripe rocky rough rounded
    rubber rustic salty sandy scarce scented scientific seasonal secondary seismic sensitive serial serious several
    severe shaggy sheer shiny significant simple simultaneous sizable skinny sleek slight slippery snowy sober
    socialist sore sparse special specific spherical spiral spoken sporadic stable stale standard starry static
    stationary statistical steady sticky stiff stony straw strategic strict strong structural stubborn sturdy
    subsequent substantial subtle successive suitable sunken supplementary surgical suspended Swiss swift symbolic
    symmetrical synthetic tabular talkative tame tangible tangled tart technical teenage temperate terminal textile
    theoretical thirsty thorough tight timed titled torn total tough tribal trim triple Turkish twisted ultimate
    unarmed uncommon unconscious uneven uniform unique universal unknown unlit unmarried unpaid untouched upright
    urgent usable utter vacant vague valid vegetarian velvet verbal Victorian Vietnamese vintage virtual visual
    vivid vocal volcanic voluntary wavy waterproof wealthy whispered widespread wireless woolen worldwide wrinkled
    written bumpy rusty squeaky spotty woolly unmarked unopened"""

COMPARATIVES = """
    bigger brighter cheaper closer colder cooler darker deeper drier earlier faster fatter harder heavier higher
    hotter larger later lighter longer louder lower narrower nearer newer older quieter richer rounder sharper
    shallower slower smaller softer steeper sweeter taller thicker thinner warmer wetter wider younger"""

# Words that judge a thing, and words for how somebody feels: good, then bad.
GOOD = """
    admirable amazing attractive awesome beautiful brave bright clever cute delicious divine elegant enjoyable
    excellent exciting exquisite fabulous fantastic fascinating fine friendly funny generous gentle glorious good
    gorgeous graceful great handsome helpful heroic honest impressive incredible inspiring intelligent interesting
    kind lovely magnificent marvelous nice outstanding perfect pleasant polite pretty remarkable sensational smart
    spectacular splendid sweet talented thoughtful useful wise witty wonderful adorable adventurous affectionate
    alluring ambitious appealing appetizing astonishing astounding authentic beloved breathtaking captivating caring
    celebrated charismatic cherished classy commendable compassionate compelling considerate cool courteous cozy
    creative dazzling decent dependable desirable devoted diligent distinguished dreamy easygoing efficient effective
    enchanting endearing energetic engaging enlightening entertaining enthusiastic exceptional exhilarating
    extraordinary fair faithful favorable fearless fetching flawless flattering fun genial genius gifted gracious
    gratifying hardworking harmonious heartwarming heavenly hilarious honorable hospitable humble humorous ideal
    imaginative immaculate ingenious innovative insightful invaluable irresistible kindhearted legendary likable
    luscious luxurious masterful memorable mouthwatering noble optimal original passionate patient peaceful
    phenomenal playful praiseworthy precious priceless prestigious radiant refreshing reliable respectful rewarding
    romantic safe satisfying scrumptious serene sincere skillful smooth soothing sophisticated sparkling stellar
    striking stylish sublime successful sunny supportive sympathetic tasteful tempting tender thrilling tidy top
    trustworthy truthful unbeatable unforgettable uplifting valuable vibrant virtuous warmhearted welcoming whimsical
    wholesome winning wondrous worthwhile worthy yummy zesty superb delightful majestic charming brilliant courageous
    picturesque tasty terrific stunning comfy fab savory cuddly gripping riveting touching catchy melodious cosy
    spotless pristine superior impeccable scenic fragrant handy sensible loyal jovial lively chic trendy nutritious
    beneficial luxuriant soulful stupendous swell marvellous dandy glamorous glowing heartfelt lavish tranquil
    tantalizing unrivaled virtuoso adept agreeable amiable cheery congenial cultured gutsy enviable exalted
    fantabulous fruitful genteel jazzy lucid merciful mighty unselfish vivacious neat respectable capable stimulating
    sentimental comical ardent dear exemplary pleasurable peachy nifty acceptable supreme positive spirited
    invincible thriving approachable refined accurate advanced angelic artful blameless charmed constructive
    convenient convincing daring delicate dignified effortless engrossing entrancing expressive famous fluent
    fulfilling gleaming healing humane informative intuitive jubilant keen laudable lucky lyrical mellow
    merry mindful nimble openhearted orderly peerless poetic poised principled promising
    resourceful rosy saintly seamless shining skilled tactful tolerant versatile
    victorious zealous"""
BAD = """
    abysmal annoying appalling arrogant atrocious awful bad bitter boring brutal careless clumsy cowardly crazy
    creepy cruel depressing disappointing disastrous dull embarrassing evil foolish frightening ghastly greedy gross
    harsh hideous hopeless horrible horrid idiotic irritating lazy lousy mean mediocre messy nasty offensive painful
    pathetic poor ridiculous rotten rude sad scary selfish shameful shocking sick silly sloppy stupid terrible
    terrifying tragic ugly unfair unpleasant useless vicious violent vulgar weak wicked worst worthless abhorrent
    abominable absurd abusive aggressive alarming ashamed backward barbaric beastly bleak bogus boorish bothersome
    broken cheesy chaotic childish coldhearted contemptible corrupt crappy cringeworthy crude damaging dangerous
    deadly deceitful defective deplorable despicable destructive detestable dirty discouraging dishonest disloyal
    dismal distasteful distressing disturbing dreary egoistic exasperating faulty feeble flawed flimsy forgettable
    frustrating gloomy grim grotesque grouchy harmful heartbreaking heartless heinous horrendous horrific hostile
    humiliating hypocritical ignorant illogical immature immoral impolite impossible inadequate incompetent
    inconsiderate indecent inedible inferior infuriating insane insensitive insufferable insulting intolerable
    irresponsible lame laughable lifeless loathsome ludicrous mad malicious manipulative meaningless mindless
    miserable monstrous monotonous moronic murky naive naughty negative noxious objectionable obnoxious odious
    ominous outrageous overpriced patronizing petty pitiful pointless pompous preposterous pretentious problematic
    rancid reckless repellent repugnant repulsive ruthless savage scandalous senseless shabby shoddy sinister slimy
    smelly snobbish soulless sour spiteful spoiled stinky subpar superficial tacky tasteless tiresome toxic
    treacherous trashy unacceptable unbearable unappetizing uncomfortable ungrateful unfriendly unhelpful unhealthy
    uninspired unjust unkind unreliable upsetting vain vapid vengeful vindictive wasteful weird wimpy wretched wrong
    yucky tedious dreadful disgusting vile revolting filthy bland nauseating greasy soggy horrifying hateful obscene
    sickening grubby cramped dodgy untidy moldy unsafe unfortunate unlucky rowdy nosy bossy pushy sly snooty stingy
    uninteresting unimpressive lackluster mundane grumpy unattractive cheap tiring awkward cursed daft dumb fake
    fatal foul freaky frustrated ghoulish gory grisly gruesome hellish inept infamous inhumane irrational junky
    lethal mangled menacing muddled oppressive perverse phony poisonous prejudiced racist ragged rubbish seedy sexist
    skanky spooky stuffy suspect tired ungodly unhygienic unsanitary untrustworthy unwelcome wasted woeful yuck
    dismaying unsettling worrisome difficult ill needy notorious clueless doubtful crushing fraudulent poorer hated
    damned shitty freaking bloody criminal unstable unsuccessful murderous uncertain illegal undesirable unreasonable
    unrealistic untrue unpopular inaccurate insignificant inappropriate inexcusable unfit ungainly
    unlikable unlovely unprofessional unpleasing unruly unsightly unworthy erratic evasive faithless false fanatical
    fickle frivolous fussy garish gaudy glaring haggard hasty haughty illegible incoherent inconvenient indifferent
    ineffective inelegant inexperienced infernal insincere intrusive jarring joyless misguided misleading mushy
    nagging narrowminded neglectful obsolete outdated overcooked overrated pesky rundown scruffy sluggish smug
    spineless stilted stifling strident sulky tactless tardy tawdry traumatic trivial troublesome wayward wrongful"""
GLAD = """
    amused calm cheerful comfortable confident content curious delighted eager excited fond glad grateful happy
    hopeful joyful jolly lucky merry optimistic overjoyed proud relaxed relieved satisfied thankful thrilled adoring
    appreciative amazed blissful carefree charmed chuffed contented elated enchanted encouraged energized
    enthusiastic euphoric exhilarated fascinated festive fulfilled gleeful good honored impressed inspired jubilant
    keen loved loving lighthearted moved peaceful playful rapturous refreshed reassured rejuvenated serene smitten
    sunny tickled touched tranquil triumphant upbeat ecstatic pleased cheery gratified buoyant exuberant blessed
    fortunate flattered awed captivated enraptured stoked pumped rested secure interested giddy"""
SORRY = """
    afraid angry anxious ashamed bitter bored confused depressed desperate disappointed embarrassed envious
    frightened frustrated guilty heartbroken hostile hurt irritated jealous lonely mad nervous restless scared
    shocked sorry terrified tired troubled uncomfortable uneasy unhappy upset weary worried aggrieved agitated aghast
    alarmed alienated annoyed apprehensive bewildered cranky crabby crestfallen crushed defeated dejected despondent
    discouraged disgruntled dismayed displeased dissatisfied distraught distressed disturbed downcast drained enraged
    exasperated fearful flustered forlorn gloomy glum grieving grim homesick hopeless horrified humiliated hysterical
    impatient incensed indignant infuriated inconsolable insecure insulted jaded livid melancholic miffed miserable
    moody mortified mournful nauseous offended outraged overwhelmed pained panicked paranoid perplexed perturbed
    petrified provoked regretful remorseful resentful sadden shaken shattered sleepy sorrowful stressed stunned sulky
    suspicious tearful tense threatened tormented traumatized unnerved unsettled uptight vexed wary wretched wounded
    furious exhausted fatigued disgusted appalled repulsed grumpy frantic rattled discontented unsatisfied heartsick
    startled spooked burdened fuming devastated heartsore pessimistic unimpressed powerless numb
    sullen"""

LOVES = """
    admire appreciate enjoy love prefer respect treasure value worship applaud esteem idolize welcome savor praise
    adore cherish fancy favor relish like desire"""
HATES = """
    despise detest dislike dread envy fear hate mistrust pity regret abhor begrudge condemn deplore distrust scorn
    disapprove loathe resent lament bemoan mock blame disrespect"""
PLEASES = """
    amaze amuse comfort delight excite fascinate impress inspire bewitch cheer enchant entertain enthrall flatter
    gladden gratify intrigue overjoy pacify reassure refresh satisfy soothe thrill tickle touch uplift suit captivate
    charm"""
UPSETS = """
    anger annoy bore confuse depress disappoint disturb embarrass frighten frustrate hurt insult irritate scare shock
    terrify upset worry aggravate alarm bug demoralize dishearten dismay displease dissatisfy distress enrage
    exasperate grieve horrify humiliate infuriate intimidate offend outrage pain sadden sicken torment trouble vex
    wound appall disgust startle unsettle unnerve haunt devastate repulse irk"""

JOYS = """
    beauty bliss blessing celebration comfort delight hope joy masterpiece miracle paradise pleasure success treat
    triumph victory wonder accomplishment achievement adventure bargain breeze dream ecstasy enjoyment fun genius gem
    glory happiness hero honor jewel joke luxury marvel perfection privilege relief romance satisfaction sensation
    thrill treasure kindness generosity charm wonderland festivity bonus boost sweetheart darling inspiration
    fascination improvement godsend delicacy"""
WOES = """
    agony betrayal catastrophe crime cruelty curse danger despair disaster disgrace failure grief horror insult mess
    misery nightmare pain scam shame sorrow terror tragedy waste abomination annoyance anger atrocity bore blunder
    boredom bother burden calamity chaos cheat debacle defeat dump embarrassment evil fear fraud fright frustration
    gloom hell idiot injustice jerk liar loser menace nonsense nuisance outrage pest pity plague rage regret ripoff
    rubbish sacrilege sadness scoundrel shambles slum suffering swindle torture travesty trouble villain woe scandal
    fiasco mistake blow wreck heartbreak dud misfortune disappointment mockery hardship bully coward weakness setback
   """

LUCKILY = """
    beautifully fortunately gladly gracefully happily luckily perfectly wonderfully admirably amazingly bravely
    brilliantly cheerfully cleverly delightfully elegantly excellently fantastically flawlessly generously gloriously
    gratefully hopefully impressively joyfully kindly lovingly magnificently marvelously mercifully nicely pleasantly
    politely proudly remarkably skillfully splendidly superbly sweetly thoughtfully warmly wisely thankfully blissfully
    """
SADLY = """
    angrily badly brutally cruelly foolishly poorly rudely sadly stupidly terribly tragically annoyingly arrogantly
    atrociously awfully bitterly carelessly clumsily disappointingly disastrously dreadfully embarrassingly grimly
    harshly hideously hopelessly horribly lazily miserably nastily painfully pathetically recklessly regrettably
    selfishly shamefully unhappily unfairly viciously wickedly unfortunately unluckily frighteningly"""

ADVERBS = """
    again alone already also always carefully currently daily early easily eventually everywhere finally frequently
    gently here immediately indoors inside later never nearby now occasionally often once outdoors quickly quietly
    rarely recently regularly secretly seldom silently slowly sometimes somewhere soon suddenly there today together
    tomorrow tonight twice usually yesterday"""
DEGREES = "extremely fairly quite really so too truly very"

IRREGULAR = {
    line.split()[0]: line.split()[1:]
    for line in """
        become became become;begin began begun;bend bent bent;bite bit bitten;blow blew blown;break broke broken
        breed bred bred;bring brought brought;build built built;buy bought bought;catch caught caught
        choose chose chosen;come came come;cost cost cost;creep crept crept;cut cut cut;dig dug dug;dive dived dived
        draw drew drawn;drink drank drunk;drive drove driven;eat ate eaten;fall fell fallen;feed fed fed
        feel felt felt;fight fought fought;find found found;flee fled fled;fly flew flown;forget forgot forgotten
        freeze froze frozen;get got gotten;give gave given;go went gone;grow grew grown;hang hung hung;hear heard heard
        hide hid hidden;hit hit hit;hold held held;hurt hurt hurt;keep kept kept;kneel knelt knelt;know knew known
        lead led led;leave left left;lie lay lain;lose lost lost;make made made;mean meant meant;meet met met
        pay paid paid;put put put;read read read;ride rode ridden;rise rose risen;run ran run;say said said;see saw seen
        seek sought sought;sell sold sold;send sent sent;shake shook shaken;shine shone shone;shoot shot shot
        shut shut shut;sing sang sung;sit sat sat;sleep slept slept;slide slid slid;speak spoke spoken;spin spun spun
        split split split;stand stood stood;steal stole stolen;swim swam swum;swing swung swung;take took taken
        teach taught taught;tear tore torn;tell told told;think thought thought;throw threw thrown
        understand understood understood;misread misread misread;mishear misheard misheard
        rethink rethought rethought;upset upset upset;wake woke woken;wear wore worn;write wrote written
        """.replace("\n", ";").split(";")
    if line.strip()
}
PLURALS = {
    "man": "men", "woman": "women", "child": "children", "fisherman": "fishermen", "mouse": "mice", "ox": "oxen",
    "calf": "calves", "wolf": "wolves", "knife": "knives", "leaf": "leaves", "shelf": "shelves", "wife": "wives",
    "thief": "thieves", "deer": "deer", "sheep": "sheep", "goldfish": "goldfish", "buffalo": "buffalo", "elk": "elk",
    "potato": "potatoes", "tomato": "tomatoes", "mango": "mangoes", "police": "police", "starfish": "starfish",
    "salmon": "salmon", "torpedo": "torpedoes", "volcano": "volcanoes", "reindeer": "reindeer",
}  # fmt: skip
DOUBLES = """
    admit begin chat chop clap commit cut dig drag drip drop equip fit flap flip forget get grab grip hit hop hug
    jam jog knit nod omit pet pin plan plod pop propel put refer regret rip rob rot rub run shop shrug shut
    sip sit skim skip slam slap slip slog snap spin split spot step stir stop strut submit swap swim tap tip top
    transfer trim trip trot upset whip wrap"""
VOWELS = "aeiou"


def plural(noun):
    """The plural of an English noun.

    >>> plural("cherry"), plural("box"), plural("wolf")
    ('cherries', 'boxes', 'wolves')
    """
    return PLURALS.get(noun) or _with_s(noun)


def forms(verb):
    """The five forms of an English verb.

    >>> forms("hop")
    ('hop', 'hops', 'hopped', 'hopped', 'hopping')
    >>> forms("take")
    ('take', 'takes', 'took', 'taken', 'taking')
    """
    double = verb + verb[-1] if verb in DOUBLES.split() else verb
    if verb.endswith("ie"):
        ing = verb[:-2] + "ying"
    elif verb.endswith("e") and verb[-2:] not in ("ee", "oe", "ye"):
        ing = verb[:-1] + "ing"
    else:
        ing = double + "ing"
    if verb.endswith("e"):
        past = verb + "d"
    elif verb.endswith("y") and verb[-2] not in VOWELS:
        past = verb[:-1] + "ied"
    else:
        past = double + "ed"
    past, participle = IRREGULAR.get(verb, (past, past))
    return verb, _with_s(verb), past, participle, ing


def _with_s(word):
    if word.endswith("y") and word[-2] not in VOWELS:
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh")) or word in ("go", "echo") else "s")
